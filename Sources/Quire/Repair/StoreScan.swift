import Foundation

/// The members that are left of a store, from its first byte to its last, damage notwithstanding.
///
/// A member is told by its header and its end, a block's place by its seal; blocks are not inflated. What lies between members is searched for
/// the next, so that a store costs a read of its headers, and of all bytes where it is damaged.
struct StoreScan {
    /// Whole headers of blocks, in order. Where they lie in the document is not known yet.
    private(set) var blocks: [BlockLocation] = []
    /// Whole footers, oldest first.
    private(set) var footers: [Footer] = []
    let tag: UInt32

    private enum Member {
        case block(seal: UInt32, IndexEntry)
        case footer(Footer)
        case index
    }

    /// The smallest member that a block can have.
    static let leastMemberSize =
        UInt64(BlockMember.headerSize + MemberHeader.trailerSize + 1)

    init(_ bytes: any DataProviding & Sendable) throws {
        let end = bytes.size
        var found: [(seal: UInt32, entry: IndexEntry, fileOffset: UInt64)] = []
        var position: UInt64 = 0
        while position < end {
            guard let (member, next) = try Self.member(of: bytes, at: position) else {
                let later = try bytes.first(MemberHeader.magic, in: position + 1..<end) {
                    try Self.member(of: bytes, at: $0) == nil ? nil : $0
                }
                position = later ?? end
                continue
            }
            switch member {
            case .block(let seal, let entry): found.append((seal, entry, position))
            case .footer(let footer): footers.append(footer)
            case .index: break
            }
            position = next
        }
        let last = footers.last
        footers.removeAll { $0.uuid != last?.uuid || $0.tag != last?.tag }
        // Without a footer the first block tells: it is the first of all, or the one after a lost one.
        let guess = found.first.map { $0.fileOffset == 0 ? $0.seal : $0.seal &- 1 } ?? 0
        tag = last?.tag ?? guess
        var (number, blocksEnd) = (0, UInt64(0))
        for (seal, entry, fileOffset) in found {
            // Between two blocks there is room for so many lost ones; all others are another store's.
            let expected = BlockMember.seal(tag: tag, number: UInt64(number))
            let lostCount = UInt64(seal &- expected)
            guard lostCount <= (fileOffset - blocksEnd) / Self.leastMemberSize else { continue }
            number += Int(lostCount)
            blocks.append(
                BlockLocation(
                    number: number, offset: 0, size: entry.length, fileOffset: fileOffset,
                    memberSize: entry.size, isStored: entry.isStored, checksum: entry.checksum))
            number += 1
            blocksEnd = fileOffset + UInt64(entry.size)
        }
    }

    /// What begins here, and where it ends; nil if it is not a member that is whole as far as its header and its end tell.
    private static func member(
        of bytes: any DataProviding & Sendable, at position: UInt64
    ) throws -> (Member, end: UInt64)? {
        var hop = MemberHop(bytes, from: position, to: bytes.size)
        do {
            if try hop.header().kind == .index {
                let footer = try hop.nextIndexMember()
                return (footer.map { .footer($0) } ?? .index, hop.position)
            }
            try hop.next()
            guard let seal = hop.tag, let entry = hop.entries.first else { return nil }
            return (.block(seal: seal, entry), hop.position)
        } catch is MemberFault {
            return nil
        } catch let error as QuireError
            where error.code == .unsupportedVersion || error.code == .unsupportedFeature
        { return nil }
    }
}
