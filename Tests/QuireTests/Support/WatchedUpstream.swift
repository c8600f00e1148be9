import Foundation
import Quire
import Synchronization

/// A provider that counts what is asked of another, gives short reads, and fails at a chosen one.
final class WatchedUpstream: DataProviding, Sendable {
    struct Tally {
        var readCount = 0
        var byteCount = 0
    }

    private let upstream: any DataProviding & Sendable
    private let tally = Mutex(Tally())
    private let readLimit: Int
    private let failingRead: Int

    /// - Parameters:
    ///   - readLimit: bytes that one read gives at most.
    ///   - failingRead: the number of the read, from 0, that throws `EIO`.
    init(_ stored: Data, readLimit: Int = .max, failingRead: Int = -1) {
        upstream = DataContainerProvider(data: stored)
        self.readLimit = readLimit
        self.failingRead = failingRead
    }

    var counts: Tally { tally.withLock { $0 } }
    func resetCounts() { tally.withLock { $0 = Tally() } }

    var size: UInt64 { upstream.size }
    var uid: String { upstream.uid }
    var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        let number = tally.withLock {
            $0.readCount += 1
            return $0.readCount - 1
        }
        if number == failingRead { throw POSIXError(.EIO) }
        let data = try upstream.readData(
            withSize: min(size, UInt64(readLimit)), atOffset: offset)
        tally.withLock { $0.byteCount += data.count }
        return data
    }

    func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        try upstream.createDataSink(options: options)
    }

    func replaceContents(with sink: any DataSink) throws {
        try upstream.replaceContents(with: sink)
    }
}
