import CQuire
import Foundation
import Quire
import Synchronization

/// What C's handles stand for. A handle is a number, never given twice: one that was closed, or never given, is found out.
enum Handles {
    enum Object: Sendable {
        case store(StoreHandle)
        case sink(SinkHandle)
    }

    private struct Table {
        var objects: [UInt: Object] = [:]
        var last: UInt = 0
    }

    private static let table = Mutex(Table())

    /// Gives an object a handle, which keeps it until it is taken away.
    static func add(_ object: Object) -> OpaquePointer? {
        let number = table.withLock { table in
            table.last += 1
            table.objects[table.last] = object
            return table.last
        }
        // SAFETY: the pointer is never followed, here or in C, to which its type is incomplete.
        return unsafe OpaquePointer(bitPattern: number)
    }

    static func store(_ handle: OpaquePointer?) throws -> StoreHandle {
        guard case .store(let store) = object(UInt(bitPattern: handle)) else {
            throw Failure(QUIRE_NO_HANDLE, "the store is NULL, was closed, or is a sink")
        }
        return store
    }

    static func sink(_ handle: OpaquePointer?) throws -> SinkHandle {
        try sink(object(UInt(bitPattern: handle)))
    }

    private static func sink(_ object: Object?) throws -> SinkHandle {
        guard case .sink(let sink) = object else {
            throw Failure(QUIRE_NO_HANDLE, "the sink is NULL, was ended, or is a store")
        }
        return sink
    }

    /// Takes a store's handle away; harmless if it is none.
    static func removeStore(_ handle: OpaquePointer?) {
        _ = remove(UInt(bitPattern: handle)) { if case .store = $0 { true } else { false } }
    }

    /// Takes a sink's handle away; of two threads that do so one gets the sink.
    static func removeSink(_ handle: OpaquePointer?) throws -> SinkHandle {
        let sink = remove(UInt(bitPattern: handle)) { if case .sink = $0 { true } else { false } }
        return try Self.sink(sink)
    }

    private static func object(_ number: UInt) -> Object? { table.withLock { $0.objects[number] } }

    private static func remove(_ number: UInt, if isWanted: (Object) -> Bool) -> Object? {
        table.withLock { table in
            guard let object = table.objects[number], isWanted(object) else { return nil }
            return table.objects.removeValue(forKey: number)
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
    private var failure: (any Error)?

    /// Bytes were lost on their way here: there is nothing that could be committed.
    func fail(_ error: any Error) { lock.withLock { failure = failure ?? error } }

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
            if let failure { throw failure }
            try sink.close()
            try commitSink(sink)
        }
    }
}
