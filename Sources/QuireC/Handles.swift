import CQuire
import Foundation
import Quire
import Synchronization

/// What C's handles stand for. A handle is a number, never given twice: one that was closed, or never given, is found out.
enum Handles {
    private struct Table {
        var objects: [UInt: any AnyObject & Sendable] = [:]
        var last: UInt = 0
    }

    private static let table = Mutex(Table())

    /// Gives an object a handle, which keeps it until it is taken away.
    static func add(_ object: any AnyObject & Sendable) -> OpaquePointer? {
        let number = table.withLock { table in
            table.last += 1
            table.objects[table.last] = object
            return table.last
        }
        // SAFETY: the pointer is never followed, here or in C, to which its type is incomplete.
        return unsafe OpaquePointer(bitPattern: number)
    }

    /// The object of a handle.
    static func object<Object>(_ handle: OpaquePointer?, as type: Object.Type = Object.self)
        throws -> Object
    {
        let number = UInt(bitPattern: handle)
        let object = table.withLock { $0.objects[number] }
        guard let object = object as? Object else {
            throw Failure(
                QUIRE_NO_HANDLE, "the handle is NULL, was closed, or is of another kind")
        }
        return object
    }

    /// Takes the object from a handle, if it has one of that type; the handle is then good for nothing.
    static func remove<Object>(_ handle: OpaquePointer?, as type: Object.Type) -> Object? {
        let number = UInt(bitPattern: handle)
        return table.withLock { table in
            guard let object = table.objects[number] as? Object else { return nil }
            table.objects[number] = nil
            return object
        }
    }
}

/// What a `quire_store` stands for: a store, or one revision of it.
final class StoreHandle: Sendable {
    private let provider: CompressedDataProvider
    private let fixed: CompressedDataProvider.Revision?

    init(_ provider: CompressedDataProvider) {
        self.provider = provider
        fixed = nil
    }

    /// A handle on the present revision alone.
    init(snapshotOf store: StoreHandle) throws {
        provider = store.provider
        fixed = try store.revision()
    }

    var uid: String { provider.uid }

    /// What is read.
    func revision() throws -> CompressedDataProvider.Revision {
        try fixed ?? provider.presentRevision()
    }

    /// The store, unless this is a snapshot.
    func store(to operation: String) throws -> CompressedDataProvider {
        guard fixed == nil else {
            throw Failure(
                QUIRE_UNSUPPORTED_OPERATION,
                "a snapshot cannot be \(operation): its revision stays what it is")
        }
        return provider
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        // The provider notes errors and goes around revisions that expire; a snapshot does not have to.
        if let fixed {
            try fixed.contents.read(into: &output, atOffset: offset)
        } else {
            try provider.read(into: &output, atOffset: offset)
        }
    }
}

/// What a `quire_sink` stands for: a save under way, one step at a time.
final class SinkHandle: @unchecked Sendable {
    // SAFETY: the sink is used under the lock only.
    private let lock = NSLock()
    private let sink: any DataSink
    private let commitSink: (any DataSink) throws -> Void

    /// - Parameter commit: puts what was written in place, from a finished sink.
    init(_ sink: any DataSink, commit: @escaping (any DataSink) throws -> Void) {
        self.sink = sink
        commitSink = commit
    }

    /// Copies the bytes, a part at a time.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        let part = 1 << 20
        try lock.withLock {
            for start in stride(from: 0, to: bytes.count, by: part) {
                let end = min(bytes.count, start + part)
                try unsafe sink.put(Data(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            }
        }
    }

    func commit() throws {
        try lock.withLock {
            try sink.close()
            try commitSink(sink)
        }
    }
}
