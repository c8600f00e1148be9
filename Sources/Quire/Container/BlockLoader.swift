import Foundation
import Synchronization

/// A block that is not of this place: the index may be another store's, and is rebuilt if all blocks agree on that.
struct StaleIndex: Error { let cause: QuireError }

/// Reads blocks from their members and checks them.
final class BlockLoader: Sendable {
    private let codec: any BlockCodec
    private let scratch = Mutex<[AlignedBuffer]>([])

    init(codec: any BlockCodec) { self.codec = codec }

    /// Lets go of the memory that is kept for the next blocks.
    func dropScratch() { scratch.withLock { $0 = [] } }

    /// Reads and checks a block, and forgets it.
    func check(_ block: BlockLocation, of store: Store) throws {
        if block.isStored {
            try withStored(block, of: store) { _ in }
        } else {
            try withBuffer(block.size) { buffer in
                try buffer.fill(upTo: block.size) { _ = try inflate(block, of: store, into: &$0) }
            }
        }
    }

    /// Reads and checks a stored block, and appends it.
    func copyStored(
        _ block: BlockLocation, of store: Store, into output: inout OutputRawSpan
    ) throws {
        try withStored(block, of: store) { deflateData in
            for piece in StoredBlock.pieces(of: 0..<block.size) {
                let start = StoredBlock.deflateOffset(of: piece.lowerBound)
                output.append(copying: deflateData.extracting(start..<start + piece.count))
            }
        }
    }

    /// Reads, inflates and checks a block, and appends it.
    ///
    /// - Returns: where the bytes of its stored deflate blocks lie.
    func inflate(
        _ block: BlockLocation, of store: Store, into output: inout OutputRawSpan
    ) throws -> StoredRuns {
        try withMember(block, of: store) { deflateData, headerSize, check in
            var runs = StoredRuns()
            try output.append(upTo: block.size) { part in
                runs = try codec.inflate(deflateData, into: &part)
                try check(checksum(part.bytes))
            }
            runs.headerSize = headerSize
            return runs
        }
    }

    /// Reads and checks a block, and gives its member with a seal for another place.
    func member(
        of block: BlockLocation, in store: Store, sealed seal: UInt32
    ) throws -> EncodedBlock {
        try withMember(block, of: store) { deflateData, _, check in
            if block.isStored {
                try check(StoredBlock.checksum(of: deflateData, blockSize: block.size))
            } else {
                try withBuffer(block.size) { buffer in
                    try buffer.fill(upTo: block.size) { output in
                        try codec.inflate(deflateData, into: &output)
                        try check(checksum(output.bytes))
                    }
                }
            }
            return EncodedBlock(
                deflateData: deflateData, isStored: block.isStored, seal: seal,
                checksum: block.checksum, size: block.size)
        }
    }

    private func withStored(
        _ block: BlockLocation, of store: Store, _ body: (_ deflateData: RawSpan) -> Void
    ) throws {
        try withMember(block, of: store) { deflateData, _, check in
            try check(StoredBlock.checksum(of: deflateData, blockSize: block.size))
            body(deflateData)
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
