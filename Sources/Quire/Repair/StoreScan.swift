import Foundation

/// The members that are left of a store, from its first byte to its last, damage notwithstanding.
///
/// A member is told by its header and its end, a block's place by its seal; blocks are not inflated. What lies between members is searched for
/// the next, so that a store costs a read of its headers, and of all bytes where it is damaged.
struct StoreScan {
    /// Whole headers of blocks, in order. Where they lie in the document is not known yet.
    private(set) var blocks: [BlockLocation] = []
    /// Whole footers in their places, oldest first.
    private(set) var footers: [Footer] = []
    /// All whole footers by the blocks that they count: those too that lost or added bytes have moved.
    private(set) var counts: [Footer] = []
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
        var found: [FoundBlock] = []
        var (position, isBehindMember) = (UInt64(0), true)
        var lastCount: UInt64 = 0
        while position < end {
            guard let (member, next) = try Self.member(of: bytes, at: position) else {
                let later = try bytes.first(MemberHeader.magic, in: position + 1..<end) {
                    try Self.member(of: bytes, at: $0) == nil ? nil : $0
                }
                (position, isBehindMember) = (later ?? end, false)
                continue
            }
            switch member {
            case .block(let seal, let entry):
                found.append(
                    FoundBlock(
                        seal: seal, entry: entry, fileOffset: position,
                        isBehindMember: isBehindMember))
                isBehindMember = true
            case .footer(let footer):
                if footer.offset == position { footers.append(footer) }
                counts.append(footer)
                lastCount = UInt64(found.count)
            case .index: break
            }
            position = next
        }
        // So many blocks the bytes have room for.
        let room = Int(clamping: end / Self.leastMemberSize)
        let first = try Self.firstSeal(of: bytes)
        // A footer that was moved may be of a store within the document, but for one that the first block agrees with.
        let last =
            footers.last
            ?? counts.last { footer in
                // In the torn append behind it there may be as many again as there is room for.
                let counted = Int(clamping: min(footer.blockCount, 1 << 31)) + room
                return first.map { Int($0 &- footer.tag) < counted } ?? true
            }
        footers.removeAll { $0.uuid != last?.uuid || $0.tag != last?.tag }
        counts.removeAll { $0.uuid != last?.uuid || $0.tag != last?.tag }
        counts.sort { ($0.blockCount, $0.revision) < ($1.blockCount, $1.revision) }
        tag = last?.tag ?? FoundBlock.tag(of: found, firstMember: first)
        // So many there may be: as many as a footer behind them counts, else as many as there is room for.
        let counted = counts.last.map { Int(clamping: min($0.blockCount, 1 << 40)) } ?? room
        blocks = FoundBlock.inOrder(found, tag: tag) {
            $0 < lastCount ? counted : max(counted, room)
        }
    }

    /// The seal in the header at the start of the store, whether its block is whole or not.
    private static func firstSeal(of bytes: any DataProviding & Sendable) throws -> UInt32? {
        let hop = MemberHop(bytes, to: bytes.size)
        do { return try BlockMember(hop.header()).seal } catch is MemberFault { return nil }
    }

    /// What begins here, and where it ends; nil if it is not a member that is whole as far as its header and its end tell.
    private static func member(
        of bytes: any DataProviding & Sendable, at position: UInt64
    ) throws -> (Member, end: UInt64)? {
        var hop = MemberHop(bytes, from: position, to: bytes.size)
        do {
            if try hop.header().kind == .index {
                if let footer = try footer(in: bytes, at: position) {
                    return (.footer(footer), position + UInt64(Footer.memberSize))
                }
                _ = try hop.nextIndexMember()
                return (.index, hop.position)
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

    /// A whole footer here, whether this is its place or not.
    private static func footer(
        in bytes: any DataProviding & Sendable, at position: UInt64
    ) throws -> Footer? {
        guard bytes.size - position >= UInt64(Footer.memberSize) else { return nil }
        return Footer.moved(try bytes.readBytes(Footer.memberSize, at: position))
    }
}
