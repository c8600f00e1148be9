import CInflate
import Foundation
import Quire
import Synchronization

/// How many bytes a store has inflated.
///
/// The library does not count. But what it inflates it has read before, as a whole member; so the reads of a store's bytes tell
/// which blocks were loaded, each time, whether for a reader or ahead of one. Bytes of stored deflate blocks are copied, not inflated.
final class InflatedBytes {
    private let store: CompressedDataProvider
    private let log: ReadLog
    private let members: [UInt64: BlockInfo]
    private var inflated: [UInt64: Int] = [:]

    init(_ way: StoreWay, of stored: Data) throws {
        log = ReadLog(stored)
        store = try way.provider(log, cacheByteBudget: ReadMeasure.cacheByteBudget)
        members = Dictionary(uniqueKeysWithValues: try store.blocks().map { ($0.fileOffset, $0) })
    }

    func count(replaying reads: [Read]) throws -> Int {
        let buffer = PageBuffer(byteCount: max(1, reads.map(\.size).max() ?? 0))
        for read in reads {
            try buffer.fill(read.size) { try store.read(into: &$0, atOffset: read.offset) }
        }
        return try log.reads.reduce(0) { sum, read in
            guard let block = members[read.offset], block.memberSize == read.size, !block.isStored
            else { return sum }
            let count = try inflated[read.offset] ?? codedByteCount(of: block)
            inflated[read.offset] = count
            return sum + count
        }
    }

    /// The bytes of a block that do not lie in stored deflate blocks.
    private func codedByteCount(of block: BlockInfo) throws -> Int {
        let member = log.stored[Int(block.fileOffset)..<Int(block.fileOffset) + block.memberSize]
        let bytes = [UInt8](member)
        var output = [UInt8](repeating: 0, count: block.size)
        var (count, start, isCoded) = (0, 0, false)
        var z = unsafe z_stream()
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                // SAFETY: zlib stays within both buffers, and `z` does not move or outlive them.
                unsafe withUnsafeMutablePointer(to: &z) { z in
                    unsafe inflateInit2_(
                        z, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                    defer { unsafe _ = inflateEnd(z) }
                    unsafe z.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    unsafe z.pointee.avail_in = UInt32(input.count)
                    unsafe z.pointee.next_out = output.baseAddress
                    unsafe z.pointee.avail_out = UInt32(output.count)
                    while true {
                        // Z_BLOCK returns in front of each deflate block, and once more behind the last.
                        let status = unsafe inflate(z, Z_BLOCK)
                        let end = unsafe output.count - Int(z.pointee.avail_out)
                        if isCoded { count += end - start }
                        start = end
                        guard status == Z_OK else { return status }
                        let state = unsafe Int(z.pointee.data_type)
                        let consumed = unsafe input.count - Int(z.pointee.avail_in)
                        isCoded =
                            state & 0b1100_0000 == 0b1000_0000
                            && !isStored(bytes, atBit: 8 * consumed - state & 7)
                    }
                }
            }
        }
        guard status == Z_STREAM_END else {
            throw BenchError("block \(block.number) cannot be inflated (\(status))")
        }
        return count
    }

    /// Whether the header of a deflate block begins at this bit that says that it is stored (RFC 1951, 3.2.3).
    private func isStored(_ bytes: [UInt8], atBit position: Int) -> Bool {
        let header = (0..<2).reduce(0) { $0 | Int(bytes[position / 8 + $1]) << (8 * $1) }
        return header >> (position % 8) & 0b110 == 0
    }
}

/// Stored bytes in memory, and the reads of them.
private final class ReadLog: DataProviding, Sendable {
    let stored: Data
    private let log = Mutex<[Read]>([])

    init(_ stored: Data) { self.stored = stored }

    var reads: [Read] { log.withLock { $0 } }
    var size: UInt64 { UInt64(stored.count) }
    var uid: String { "read-log" }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        let part = Data(stored.dropFirst(Int(clamping: offset)).prefix(Int(clamping: size)))
        log.withLock { $0.append(Read(offset: offset, size: part.count)) }
        return part
    }
}
