import Foundation
import Quire

/// Reads that are done again and again, each thread into an aligned buffer of its own.
final class Replay: @unchecked Sendable {
    // SAFETY: buffers[i] is used by one thread at a time, the i-th of a run.
    private let buffers: [PageBuffer]
    private let reads: [Read]

    init(_ reads: [Read]) {
        self.reads = reads
        let size = reads.map(\.size).max() ?? 0
        buffers = (0..<2).map { _ in PageBuffer(byteCount: max(size, 1)) }
    }

    /// What replays all of them, a source for each thread: the first half on the first one.
    func run(_ sources: [any Source], repeats: Int) -> () throws -> Void {
        guard sources.count == 2 else {
            return { for _ in 0..<repeats { try self.replay(0..<self.reads.count, sources[0], 0) } }
        }
        let middle = reads.count / 2
        let helper = Helper {
            for _ in 0..<repeats { try self.replay(middle..<self.reads.count, sources[1], 1) }
        }
        return {
            try helper.run {
                for _ in 0..<repeats { try self.replay(0..<middle, sources[0], 0) }
            }
        }
    }

    /// The first offset at which a source does not give the document's bytes; nil if there is none.
    func firstWrong(_ sources: [any Source], _ document: Data) throws -> UInt64? {
        for read in reads {
            for (source, buffer) in zip(sources, buffers) {
                try buffer.fill(read.size) {
                    try source.read(into: &$0, atOffset: read.offset)
                }
                let start = min(Int(read.offset), document.count)
                let end = min(start + read.size, document.count)
                guard buffer.holds(document[start..<end]) else { return read.offset }
            }
        }
        return nil
    }

    private func replay(_ range: Range<Int>, _ source: any Source, _ thread: Int) throws {
        let buffer = buffers[thread]
        for read in reads[range] {
            try buffer.fill(read.size) { try source.read(into: &$0, atOffset: read.offset) }
        }
    }
}
