import Foundation
import QuireTesting
import Testing

@testable import Quire

/// A store of a million blocks: what its index takes of time and memory.
@Suite("Cases E: a million blocks", .serialized)
struct MillionBlockCases {
    static let count = 1_000_000
    static let blockSize = 512

    /// A file of blocks of zeros, laid out by the writer; they are deflated once.
    private func makeStore() throws -> URL {
        let url = try TemporaryFolder.uniqueFile("million.gz")
        let sink = try FileDataSink(fileURL: url)
        let zeros = Data(count: Self.blockSize)
        let deflated = AlignedBuffer(capacity: Self.blockSize)
        try deflated.fill(upTo: Self.blockSize) {
            _ = try Codec.standard.deflate(
                zeros.bytes, runs: [Run(byteCount: zeros.count, isStored: false)], into: &$0,
                level: 1)
        }
        var writer = StoreWriter(uuid: UUID(), revision: 1, blockSize: Self.blockSize)
        for number in 0..<UInt64(Self.count) {
            let block = deflated.withBytes {
                EncodedBlock(
                    deflateData: $0, isStored: false,
                    seal: BlockMember.seal(tag: writer.tag, number: number),
                    checksum: checksum(zeros.bytes), size: Self.blockSize)
            }
            try writer.write(block.bytes, of: block.entry, to: sink)
        }
        _ = try writer.finish(to: sink)
        try sink.close()
        return url
    }

    @Test func aMillionBlocksOpenInSomeReadsOfTheirIndexAndIn24BytesEach() throws {
        let url = try makeStore()
        defer { try? FileManager.default.removeItem(at: url) }
        // In a process of its own: other tests allocate memory, too.
        let (lines, status) = try Helper(["index", url.path]).end()
        if lines == ["unknown"] { return }
        let numbers = (lines.last ?? "").split(separator: " ").compactMap { Double($0) }
        try #require(status == 0 && numbers.count == 4, "\(lines)")
        let (memory, opening, reading) = (numbers[0], numbers[1], numbers[2])
        let ratio = opening / reading
        print(
            "crash: 1 case, a store of \(Self.count) blocks:",
            String(format: "opened in %.1f ms, %.1f times", opening / 1000, ratio),
            String(format: "the reading of its index; %.1f bytes", memory / Double(Self.count)),
            String(format: "a block, and %.1f MiB when all was read", numbers[3] / 1_048_576))
        // On the machine where this was set reading took 0.9 ms: the bound is 36 ms there.
        #expect(ratio < 40)
        #expect(memory <= Double(24 * Self.count))
        #expect(numbers[3] <= Double(24 * Self.count + 64 << 20))
    }

    /// What reading learns of blocks is not kept of all.
    @Test func storedRunsAreKeptOfSomeBlocks() throws {
        var entries: [UInt8] = []
        let entry = IndexEntry(size: 60, length: 1, isStored: false, checksum: 7)
        for _ in 0..<20_000 { entry.encode(into: &entries) }
        let footer = Footer(
            uuid: UUID(), tag: 1, blockSize: 512, revision: 1, time: 0, documentSize: 20_000,
            blockCount: 20_000, segmentOffset: 1_200_000, previousLive: nil, previous: nil,
            offset: 2_000_000, entryCount: 20_000, segmentChecksum: 0)
        let segment = try Segment(
            entries: entries, footer: footer, firstBlock: 0, offset: 0, fileOffset: 0)
        #expect(segment.end == 20_000 && segment[8191].offset == 8191 && segment[8191].size == 1)
        var runs = StoredRuns()
        runs.append(0..<2000, deflateOffset: 5)
        for index in 0..<20_000 { segment.setStoredRuns(runs, of: index) }
        let kept = (0..<20_000).count { segment.storedRuns(of: $0) != nil }
        #expect(1..<16_385 ~= kept && segment.storedRuns(of: 19_999) != nil)
        segment.setStoredRuns(StoredRuns(), of: 0)
        #expect(segment.storedRuns(of: 0) == nil)
    }
}
