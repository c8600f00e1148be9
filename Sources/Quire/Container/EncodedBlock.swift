import Foundation

/// A block as its member, and the entry for it.
struct EncodedBlock: Sendable {
    let bytes: Data
    let entry: IndexEntry

    /// - Parameters:
    ///   - level: 1...9; 0 stores the block without trying.
    ///   - favor: which parts of the block are deflated.
    init(
        _ block: AlignedBuffer, seal: UInt32, codec: any BlockCodec, level: Int, favor: Favor
    ) throws {
        let size = block.count
        let sum = block.withBytes { checksum($0) }
        let overhead = BlockMember.headerSize + MemberHeader.trailerSize
        let member = AlignedBuffer(capacity: overhead + StoredBlock.deflateSize(blockSize: size))
        // The header is written when the sizes are known.
        let header = [UInt8](repeating: 0, count: BlockMember.headerSize)
        let price = favor.inflatePrice ?? 0
        let runs =
            favor.inflatePrice == nil
            ? [Run(byteCount: size, isStored: false)]
            : block.withBytes { RunFinder.runs(of: $0, inflatePrice: price) }
        let deflatedCount = runs.reduce(0) { $0 + ($1.isStored ? 0 : $1.byteCount) }
        var isStored = level == 0 || deflatedCount == 0
        if !isStored {
            // What does not save its price is stored after all.
            let limit = max(0, size - 1 - Int(price * Float(deflatedCount)))
            try member.fill(upTo: header.count + limit) { output in
                output.append(copying: header)
                isStored = try block.withBytes {
                    try !codec.deflate($0, runs: runs, into: &output, level: level)
                }
            }
        }
        if isStored {
            member.fill(upTo: member.capacity) { output in
                output.append(copying: header)
                block.withBytes { StoredBlock.encode($0, into: &output) }
            }
        }
        let memberSize = member.count + MemberHeader.trailerSize
        let block = BlockMember(
            isStored: isStored, seal: seal, memberSize: memberSize, blockSize: size)
        member.replace(at: 0, with: block.encoded)
        var trailer: [UInt8] = []
        trailer.append(littleEndian: sum)
        trailer.append(littleEndian: UInt32(size))
        unsafe member.append(trailer.span.bytes)
        bytes = member.data
        entry = IndexEntry(size: memberSize, length: size, isStored: isStored, checksum: sum)
    }
}
