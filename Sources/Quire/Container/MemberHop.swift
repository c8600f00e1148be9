import Foundation

/// Goes from member to member by their sizes: what the index would say, learnt from the members themselves.
struct MemberHop {
    let bytes: any DataProviding & Sendable
    /// Where the hop ends at the latest.
    let end: UInt64
    private(set) var position: UInt64 = 0
    /// What an index of the members so far would hold.
    private(set) var entries: [IndexEntry] = []
    private(set) var documentSize: UInt64 = 0
    private(set) var blockCount: UInt64 = 0
    /// The tag that all seals so far are of.
    private(set) var tag: UInt32?
    private(set) var greatestBlock = FormatLimit.blockSizes.lowerBound

    init(_ bytes: any DataProviding & Sendable, from position: UInt64 = 0, to end: UInt64) {
        self.bytes = bytes
        self.position = position
        self.end = end
    }

    /// Goes on behind so many blocks of this tag.
    init(
        _ bytes: any DataProviding & Sendable, from position: UInt64, to end: UInt64, tag: UInt32?,
        blockCount: UInt64
    ) {
        self.init(bytes, from: position, to: end)
        (self.tag, self.blockCount) = (tag, blockCount)
    }

    /// The header of the member here.
    func header() throws -> MemberHeader {
        let rest = end - min(position, end)
        var start = try bytes.readBytes(Int(min(rest, 64)), at: position)
        let size = try MemberHeader.size(of: start)
        if size > start.count, UInt64(size) <= rest {
            start = try bytes.readBytes(size, at: position)
        }
        return try MemberHeader(start)
    }

    /// Goes over the member here.
    ///
    /// - Throws: a `MemberFault` if it is none of this store, and stays in front of it.
    mutating func next() throws {
        let header = try header()
        switch header.kind {
        case .block: try passBlock(BlockMember(header))
        case .index: try pass(emptyMemberSize(header))
        }
    }

    /// Goes over the index or footer member here, and checks all of it.
    ///
    /// - Returns: the footer, if it is a whole one.
    mutating func nextIndexMember() throws -> Footer? {
        let header = try header()
        guard header.kind == .index else { throw MemberFault("a block is not in the index") }
        let size = try emptyMemberSize(header)
        let member = try bytes.readBytes(size, at: position)
        guard member.suffix(MemberHeader.emptyEnd.count).elementsEqual(MemberHeader.emptyEnd)
        else { throw MemberFault("an index member is not empty") }
        let footer = try Footer(member, at: position)
        if footer == nil { _ = try IndexMember(header) }
        pass(size)
        return footer
    }

    /// Goes over an index member or footer here whose header is damaged, to the next member behind it.
    ///
    /// - Returns: false if there is none within the size of an empty member, or a block that is not the next.
    mutating func passDamagedIndexMember() throws -> Bool {
        guard let tag else { return false }
        let window = try bytes.readBytes(
            Int(min(end - position, UInt64(MemberHeader.emptyMemberLimit + 64))), at: position)
        let seal = BlockMember.seal(tag: tag, number: blockCount)
        for place in unsafe window.withUnsafeBytes({ unsafe $0.places(of: MemberHeader.magic) })
        where place > 0 {
            let next = MemberHop(bytes, from: position + UInt64(place), to: end)
            do {
                let header = try next.header()
                guard try header.kind == .index || BlockMember(header).seal == seal else {
                    continue
                }
                pass(place)
                return true
            } catch is MemberFault {}
        }
        guard window.count <= MemberHeader.emptyMemberLimit, UInt64(window.count) == end - position
        else { return false }
        pass(window.count)
        return true
    }

    private func emptyMemberSize(_ header: MemberHeader) throws(MemberFault) -> Int {
        let size = header.size + MemberHeader.emptyEnd.count
        guard UInt64(size) <= end - position else {
            throw MemberFault("an index member runs past the end", .cutOff)
        }
        return size
    }

    private mutating func pass(_ size: Int) {
        if let last = entries.last, last.isGap {
            entries[entries.count - 1].size += size
        } else {
            entries.append(.gap(size))
        }
        position += UInt64(size)
    }

    private mutating func passBlock(_ block: BlockMember) throws {
        let tag = self.tag ?? block.seal &- BlockMember.seal(tag: 0, number: blockCount)
        guard block.seal == BlockMember.seal(tag: tag, number: blockCount) else {
            throw MemberFault("a block is of another store, or of another place", .foreign)
        }
        guard UInt64(block.memberSize) <= end - position else {
            throw MemberFault("a block of \(block.memberSize) bytes runs past the end", .cutOff)
        }
        let trailer = try bytes.readBytes(
            MemberHeader.trailerSize,
            at: position + UInt64(block.memberSize - MemberHeader.trailerSize))
        guard trailer.littleEndian(at: 4, as: UInt32.self) == block.blockSize else {
            throw MemberFault("a block's ISIZE is not the size in its header")
        }
        self.tag = tag
        entries.append(
            IndexEntry(
                size: block.memberSize, length: block.blockSize, isStored: block.isStored,
                checksum: trailer.littleEndian(at: 0)))
        documentSize += UInt64(block.blockSize)
        blockCount += 1
        greatestBlock = max(greatestBlock, block.blockSize)
        position += UInt64(block.memberSize)
    }
}
