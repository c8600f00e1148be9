import Foundation

/// The fields of a damaged footer that nothing else knows.
struct SaidByFooter {
    let revision: UInt64
    let blockSize: Int
    let time: Int64
    private let checksum: ArraySlice<UInt8>

    init(_ member: [UInt8]) {
        // Behind the 16 bytes in front of the payload.
        blockSize = Int(member.littleEndian(at: 16 + 36, as: UInt32.self))
        revision = member.littleEndian(at: 16 + 40)
        time = member.littleEndian(at: 16 + 48)
        checksum = member[16 + 116..<16 + 120]
    }

    /// Whether the CRC is that of the footer with a revision and a block size of these, and this time or one that differs in one
    /// byte: if so, it then has them.
    func proves(_ footer: inout Footer, revisions: [UInt64], blockSizes: [Int]) -> Bool {
        var candidate = footer
        let times =
            [time]
            + (0..<64).filter { $0 % 8 == 0 }.flatMap { shift in
                (1...255).map { time ^ $0 << shift }
            }
        for revision in revisions where 1...Footer.revisionLimit ~= revision {
            for size in blockSizes where FormatLimit.blockSizes ~= size {
                for time in times {
                    (candidate.revision, candidate.blockSize) = (revision, size)
                    candidate.time = time
                    if candidate.encoded[16 + 116..<16 + 120].elementsEqual(checksum) {
                        footer = candidate
                        return true
                    }
                }
            }
        }
        return false
    }
}
