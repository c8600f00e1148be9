import Foundation

/// The provider below a decorator, and how to see one version of it at a time.
///
/// A provider that makes snapshots is read through them. Any other is read through a gate: a commit waits for the readers, and
/// views from before it expire.
package final class Upstream: Sendable {
    package let provider: any DataProviding & Sendable
    private let gate = ReadGate()

    package init(_ provider: any DataProviding & Sendable) { self.provider = provider }

    /// Whether views outlive commits.
    package var keepsVersions: Bool { provider is any SnapshotProviding }

    /// The present contents.
    package func view() throws -> any DataProviding & Sendable {
        if let provider = provider as? any SnapshotProviding { return try provider.makeSnapshot() }
        if let progress = provider.progress, !progress.isFinished { throw QuireError.inFlight }
        // A size that is unknown is 0: better to say why than that nothing is no store.
        if provider.size == 0, let error = provider.error { throw error }
        return GatedView(provider, gate: gate)
    }

    /// Commits a sink of the provider, and publishes what came of it before any reader sees it.
    func commit(_ sink: any DataSink, publish: () throws -> Void) throws {
        guard !keepsVersions else {
            try provider.replaceContents(with: sink)
            return try publish()
        }
        try gate.exclusively {
            try provider.replaceContents(with: sink)
            try publish()
        }
    }
}

extension QuireError {
    fileprivate static let snapshotExpired = QuireError(
        .snapshotExpired, "the contents that this view was made of have been replaced")
}

/// A provider without snapshots, as it was in one generation of its gate.
private final class GatedView: DataProviding, Sendable {
    let size: UInt64
    let uid: String
    private let provider: any DataProviding & Sendable
    private let gate: ReadGate
    private let generation: UInt64

    init(_ provider: any DataProviding & Sendable, gate: ReadGate) {
        generation = gate.generation
        size = provider.size
        uid = provider.uid
        self.provider = provider
        self.gate = gate
    }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try clampedData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let count = clampedCount(UInt64(output.freeCapacity), at: offset)
        try gate.enter(generation)
        defer { gate.leave() }
        // A size that changed behind our back betrays a commit that did not come through here.
        guard provider.size == size else { throw QuireError.snapshotExpired }
        try output.append(upTo: count) { try provider.read(into: &$0, atOffset: offset) }
    }
}

/// Many readers or one writer; each writer begins a new generation.
private final class ReadGate: @unchecked Sendable {
    // SAFETY: all of it is only touched while the condition is locked.
    private let condition = NSCondition()
    private var readers = 0
    private var writer: Thread?
    /// Writers that wait hold new readers back, or these would never all be gone.
    private var waitingWriters = 0
    private var current: UInt64 = 0

    /// A writer sees the generation that it makes.
    var generation: UInt64 { condition.withLock { current } }

    func enter(_ generation: UInt64) throws {
        condition.lock()
        defer { condition.unlock() }
        while isClosed { condition.wait() }
        guard generation == current else { throw QuireError.snapshotExpired }
        readers += 1
    }

    private var isClosed: Bool {
        writer.map { $0 !== Thread.current } ?? (waitingWriters > 0)
    }

    func leave() {
        condition.withLock {
            readers -= 1
            condition.broadcast()
        }
    }

    func exclusively(_ body: () throws -> Void) rethrows {
        condition.lock()
        waitingWriters += 1
        while writer != nil || readers > 0 { condition.wait() }
        waitingWriters -= 1
        writer = Thread.current
        current += 1
        condition.unlock()
        defer {
            condition.withLock {
                writer = nil
                condition.broadcast()
            }
        }
        try body()
    }
}
