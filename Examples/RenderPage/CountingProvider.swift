import Foundation
import Quire
import Synchronization

/// The provider below, with a count of what is read from it, through snapshots too.
final class CountingProvider: SnapshotProviding, Sendable {
    /// The reads so far.
    final class Tally: Sendable, CustomStringConvertible {
        private let counts = Mutex((reads: 0, bytes: 0))

        func add(byteCount: Int) { counts.withLock { $0 = ($0.reads + 1, $0.bytes + byteCount) } }

        var description: String { counts.withLock { "\($0.reads) reads, \($0.bytes) bytes" } }
    }

    let tally: Tally
    private let upstream: any DataProviding & Sendable

    init(_ upstream: any DataProviding & Sendable, tally: Tally = Tally()) {
        self.upstream = upstream
        self.tally = tally
    }

    var size: UInt64 { upstream.size }
    var uid: String { upstream.uid }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        let data = try upstream.readData(withSize: size, atOffset: offset)
        tally.add(byteCount: data.count)
        return data
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let before = output.byteCount
        try upstream.read(into: &output, atOffset: offset)
        tally.add(byteCount: output.byteCount - before)
    }

    func makeSnapshot() throws -> any DataProviding & Sendable {
        guard let provider = upstream as? any SnapshotProviding else { return self }
        return CountingProvider(try provider.makeSnapshot(), tally: tally)
    }
}
