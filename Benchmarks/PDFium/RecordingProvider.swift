import Foundation
import Quire
import Synchronization

/// The document of a file, with a log of what is asked of it.
final class RecordingProvider: DataProviding, Sendable {
    private let upstream: FileDataProvider
    private let reads = Mutex<[(offset: UInt64, size: Int)]>([])

    init(_ url: URL) { upstream = FileDataProvider(fileURL: url) }

    var size: UInt64 { upstream.size }
    var uid: String { upstream.uid }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        reads.withLock { $0.append((offset, Int(size))) }
        return try upstream.readData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let size = output.freeCapacity
        reads.withLock { $0.append((offset, size)) }
        try upstream.read(into: &output, atOffset: offset)
    }

    /// The reads so far as a trace: a line with the document's size and the pages drawn, then one line a read with offset
    /// and size.
    func trace(ofPages pageCount: Int) -> String {
        reads.withLock { reads in
            "quire-trace 2 \(size) \(pageCount)\n"
                + reads.map { "\($0.offset) \($0.size)\n" }.joined()
        }
    }
}
