import Foundation

/// The fields of a damaged footer that nothing else knows.
struct SaidByFooter {
    let revision: UInt64
    let blockSize: Int
    let time: Int64
    private let checksum: UInt32

    private static let payload = Footer.magicOffset
    /// Where the time and the CRC lie in the payload.
    private static let (timeOffset, checksumOffset) = (48, 116)

    init(_ member: [UInt8]) {
        blockSize = Int(member.littleEndian(at: Self.payload + 36, as: UInt32.self))
        revision = member.littleEndian(at: Self.payload + 40)
        time = member.littleEndian(at: Self.payload + Self.timeOffset)
        checksum = member.littleEndian(at: Self.payload + Self.checksumOffset)
    }

    /// Whether the CRC is that of the footer with a revision and a block size of these, and this time or one that differs in one
    /// byte: if so, it then has them.
    func proves(_ footer: inout Footer, revisions: [UInt64], blockSizes: [Int]) -> Bool {
        var candidate = footer
        for revision in revisions where 1...Footer.revisionLimit ~= revision {
            for size in blockSizes where FormatLimit.blockSizes ~= size {
                (candidate.revision, candidate.blockSize) = (revision, size)
                // A store may have been written without the CRC of its blocks.
                for sum in [footer.blocksChecksum, nil] {
                    candidate.blocksChecksum = sum
                    candidate.time = time
                    let change = Self.timeChanges[Self.checksum(of: candidate) ^ checksum]
                    guard let change else { continue }
                    candidate.time = time ^ change
                    footer = candidate
                    return true
                }
            }
        }
        return false
    }

    private static func checksum(of footer: Footer) -> UInt32 {
        footer.encoded.littleEndian(at: payload + checksumOffset)
    }

    /// What the time differs by, by what the CRC then differs by: that of two footers does not depend on what they have in common.
    private static let timeChanges: [UInt32: Int64] = {
        var payload = [UInt8](repeating: 0, count: checksumOffset)
        let none = Quire.checksum(payload)
        var changes: [UInt32: Int64] = [0: 0]
        for byte in 0..<8 {
            for value in 1...UInt8.max {
                payload[timeOffset + byte] = value
                changes[Quire.checksum(payload) ^ none] = Int64(value) << (8 * byte)
            }
            payload[timeOffset + byte] = 0
        }
        return changes
    }()
}
