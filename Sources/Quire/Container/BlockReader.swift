import Foundation
import Synchronization

/// A block that is not of this place: the index may be another store's, and is rebuilt if all blocks agree on that.
struct StaleIndex: Error { let cause: QuireError }

/// Reads a store's document through cache and codec.
final class BlockReader: Sendable {
    private let cache: BlockCache
    private let codec: any BlockCodec
    private let scratch = Mutex<[AlignedBuffer]>([])

    init(cacheByteBudget: Int, codec: any BlockCodec) {
        cache = BlockCache(byteBudget: cacheByteBudget)
        self.codec = codec
    }

    func dropCache() {
        cache.removeAll()
        scratch.withLock { $0 = [] }
    }

    /// Fills the free capacity of `output` from `offset` on; the document must have that many bytes.
    func read(into output: inout OutputRawSpan, from store: Store, at offset: UInt64) throws {
        var position = offset
        while output.freeCapacity > 0 {
            let (segment, index) = try store.find(position)
            let block = segment[index]
            let start = Int(position - block.offset)
            let range = start..<min(start + output.freeCapacity, block.size)
            if block.isStored {
                if segment.isChecked(index) {
                    try readStored(range, of: block, into: &output, from: store)
                } else {
                    try loadStored(range, of: block, in: store, into: &output)
                    segment.setChecked(index)
                }
            } else {
                try readDeflated(
                    range, of: block, at: index, in: segment, into: &output, from: store)
            }
            position += UInt64(range.count)
        }
    }

    /// A range of a deflated block: from the cache, or straight from a stored run inside it, or by inflating it.
    private func readDeflated(
        _ range: Range<Int>, of block: BlockLocation, at index: Int, in segment: Segment,
        into output: inout OutputRawSpan, from store: Store
    ) throws {
        let key = BlockCache.Key(epoch: store.epoch, fileOffset: block.fileOffset)
        var cached = cache.cachedBlock(for: key)
        if cached == nil, let runs = segment.storedRuns(of: index) {
            if let offset = runs.memberOffset(of: range) {
                let fileOffset = block.fileOffset + UInt64(offset)
                return try output.append(upTo: range.count) {
                    try store.bytes.readAll(into: &$0, at: fileOffset)
                }
            }
        }
        if cached == nil {
            cached = try cache.block(for: key) {
                let buffer = AlignedBuffer(capacity: block.size)
                let runs = try loadDeflated(block, of: store, into: buffer)
                segment.setStoredRuns(runs, of: index)
                return buffer
            }
        }
        cached?.withBytes { output.append(copying: $0.extracting(range)) }
    }

    /// Reads and checks a block, and forgets it.
    func check(_ block: BlockLocation, of store: Store) throws {
        if block.isStored {
            try withBuffer(1) { nothing in
                try nothing.fill(upTo: 0) {
                    try loadStored(0..<0, of: block, in: store, into: &$0)
                }
            }
        } else {
            _ = try withBuffer(block.size) { try loadDeflated(block, of: store, into: $0) }
        }
    }

    /// A range of a stored block that was checked before, straight into the caller's buffer.
    private func readStored(
        _ range: Range<Int>, of block: BlockLocation, into output: inout OutputRawSpan,
        from store: Store
    ) throws {
        let deflateSize = StoredBlock.deflateSize(blockSize: block.size)
        let start =
            block.fileOffset + UInt64(block.memberSize - MemberHeader.trailerSize - deflateSize)
        for piece in StoredBlock.pieces(of: range) {
            let fileOffset = start + UInt64(StoredBlock.deflateOffset(of: piece.lowerBound))
            try output.append(upTo: piece.count) {
                try store.bytes.readAll(into: &$0, at: fileOffset)
            }
        }
    }

    /// Reads and checks all of a stored block, and gives a range of it.
    private func loadStored(
        _ range: Range<Int>, of block: BlockLocation, in store: Store,
        into output: inout OutputRawSpan
    ) throws {
        try withMember(block, of: store) { deflateData, _, check in
            try check(StoredBlock.checksum(of: deflateData, blockSize: block.size))
            for piece in StoredBlock.pieces(of: range) {
                let start = StoredBlock.deflateOffset(of: piece.lowerBound)
                output.append(copying: deflateData.extracting(start..<start + piece.count))
            }
        }
    }

    /// Reads, inflates and checks a block.
    private func loadDeflated(
        _ block: BlockLocation, of store: Store, into output: AlignedBuffer
    ) throws -> StoredRuns {
        try withMember(block, of: store) { deflateData, headerSize, check in
            var runs = StoredRuns()
            try output.fill(upTo: block.size) {
                runs = try codec.inflate(deflateData, into: &$0)
            }
            try check(output.withBytes { checksum($0) })
            runs.headerSize = headerSize
            return runs
        }
    }

    /// Reads a block's member and checks everything that FORMAT.md, section 6, step 10 names but the deflate data.
    ///
    /// - Parameter body: is given the deflate data, the size of the header in front of it, and what checks the block's CRC.
    private func withMember<R>(
        _ block: BlockLocation, of store: Store,
        _ body: (_ deflateData: RawSpan, _ headerSize: Int, _ check: (UInt32) throws -> Void) throws
            -> R
    ) throws -> R {
        try withBuffer(block.memberSize) { member in
            do {
                try member.fill(upTo: block.memberSize) {
                    try store.bytes.readAll(into: &$0, at: block.fileOffset)
                }
                return try member.withBytes { bytes in
                    let headerSize = try checkHeader(bytes, of: block, in: store)
                    let end = bytes.byteCount - MemberHeader.trailerSize
                    let trailer = [UInt8](bytes.extracting(end...))
                    guard headerSize < end,
                        trailer.littleEndian(at: 4, as: UInt32.self) == block.size
                    else { throw MemberFault("a block's ISIZE is not the size in its header") }
                    return try body(bytes.extracting(headerSize..<end), headerSize) { sum in
                        guard sum == trailer.littleEndian(at: 0, as: UInt32.self) else {
                            throw MemberFault("a block fails its CRC")
                        }
                        guard sum == block.checksum else {
                            throw MemberFault("the CRC of a block is not what the index says")
                        }
                    }
                }
            } catch let fault as MemberFault {
                throw fault.asError(.damagedBlock, at: block.fileOffset, block: block.number)
            } catch var error as QuireError
                where error.code == .damagedBlock || error.code == .truncated
            {
                error.fileOffset = block.fileOffset
                error.blockNumber = block.number
                throw error
            }
        }
    }

    /// Compares the header of a block's member with the index.
    ///
    /// - Returns: its size.
    private func checkHeader(
        _ member: RawSpan, of block: BlockLocation, in store: Store
    ) throws -> Int {
        let headerSize = try MemberHeader.size(
            of: [UInt8](member.extracting(0..<min(MemberHeader.fixedSize, member.byteCount))))
        let header = try MemberHeader(
            [UInt8](member.extracting(0..<min(headerSize, member.byteCount))))
        let found = try BlockMember(header)
        let expected = BlockMember(
            isStored: block.isStored,
            seal: BlockMember.seal(tag: store.footer.tag, number: UInt64(block.number)),
            memberSize: block.memberSize, blockSize: block.size)
        guard found.seal == expected.seal else {
            // A block of another place, or the index of another store.
            let fault = MemberFault("a block's seal is not the one that belongs here")
            throw StaleIndex(
                cause: fault.asError(.damagedBlock, at: block.fileOffset, block: block.number))
        }
        guard found == expected else {
            throw MemberFault("the header of a block is not what the index says")
        }
        return headerSize
    }

    /// Lends a buffer of at least `capacity` bytes.
    private func withBuffer<R>(_ capacity: Int, _ body: (AlignedBuffer) throws -> R) rethrows -> R {
        let pooled = scratch.withLock { $0.popLast() }
        let buffer =
            pooled.flatMap { $0.capacity >= capacity ? $0 : nil }
            ?? AlignedBuffer(capacity: capacity)
        defer { scratch.withLock { if $0.count < 16 { $0.append(buffer) } } }
        return try body(buffer)
    }
}
