import Foundation

/// A block as its member, and the entry for it.
struct EncodedBlock: Sendable {
    let bytes: Data
    let entry: IndexEntry

    /// - Parameters:
    ///   - level: one of `Codec.levels`; 0 stores the block without trying.
    ///   - favor: which parts of the block are deflated.
    init(
        _ block: AlignedBuffer, seal: UInt32, codec: any BlockCodec, level: Int, favor: Favor
    ) throws {
        let size = block.count
        let sum = block.withBytes { checksum($0) }
        let overhead = BlockMember.headerSize + MemberHeader.trailerSize
        let capacity = overhead + StoredBlock.deflateSize(blockSize: size)
        // The header is written when the sizes are known.
        let header = [UInt8](repeating: 0, count: BlockMember.headerSize)
        var member = AlignedBuffer(capacity: capacity)
        var isStored = true
        // What does not save the price of inflating it is stored after all.
        let price = favor == .size ? 0 : favor.inflatePrice
        var limit = size - 1
        for runs in level == 0 ? [] : Self.divisions(of: block, favor: favor) {
            let deflatedCount = runs.reduce(0) { $0 + ($1.isStored ? 0 : $1.byteCount) }
            guard deflatedCount > 0 else { continue }
            limit = min(limit, size - 1 - Int(price * Float(deflatedCount)))
            let attempt = AlignedBuffer(capacity: capacity)
            var fits = false
            try attempt.fill(upTo: header.count + max(0, limit)) { output in
                output.append(copying: header)
                fits = try block.withBytes {
                    try codec.deflate($0, runs: runs, into: &output, level: level)
                }
            }
            if fits {
                (member, isStored) = (attempt, false)
                limit = attempt.count - header.count - 1  // the next has to be smaller
            }
        }
        if isStored {
            member.fill(upTo: capacity) { output in
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

    /// A block that is deflated already.
    init(
        deflateData: RawSpan, isStored: Bool, seal: UInt32, checksum: UInt32, size: Int
    ) {
        let memberSize =
            BlockMember.headerSize + deflateData.byteCount + MemberHeader.trailerSize
        var member = BlockMember(
            isStored: isStored, seal: seal, memberSize: memberSize, blockSize: size
        ).encoded
        member += [UInt8](deflateData)
        member.append(littleEndian: checksum)
        member.append(littleEndian: UInt32(size))
        bytes = Data(member)
        entry = IndexEntry(size: memberSize, length: size, isStored: isStored, checksum: checksum)
    }

    /// The ways to divide the block that are worth trying: for the smallest store also as one run.
    private static func divisions(of block: AlignedBuffer, favor: Favor) -> [[Run]] {
        let runs = block.withBytes { RunFinder.runs(of: $0, inflatePrice: favor.inflatePrice) }
        let whole = [Run(byteCount: block.count, isStored: false)]
        return favor == .size && runs != whole ? [runs, whole] : [runs]
    }
}
