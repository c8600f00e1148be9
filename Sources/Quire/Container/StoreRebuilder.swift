import Foundation

/// Makes a lost index again by hopping from member to member: sizes from the headers, checksums from the trailers.
struct StoreRebuilder {
    private let bytes: any DataProviding & Sendable
    private let storedSize: UInt64

    private var position: UInt64 = 0
    private var entries: [IndexEntry] = []
    private var documentSize: UInt64 = 0
    private var blockCount: UInt64 = 0
    private var tag: UInt32?
    private var greatestBlock = FormatLimit.blockSizes.lowerBound

    init(_ bytes: any DataProviding & Sendable, storedSize: UInt64) {
        self.bytes = bytes
        self.storedSize = storedSize
    }

    /// The store under a whole footer whose index is damaged or is not of these blocks.
    ///
    /// - Throws: `damagedIndex` if the hop does not arrive at the footer with what it says.
    consuming func rebuild(under footer: Footer, because cause: QuireError) throws -> Store {
        while position < footer.segmentOffset {
            do { try hop() } catch let fault as MemberFault {
                throw fault.asError(.damagedIndex, at: position)
            }
        }
        guard position == footer.segmentOffset, documentSize == footer.documentSize,
            blockCount == footer.blockCount
        else {
            throw QuireError(
                .damagedIndex,
                "the index is damaged, and the blocks (\(blockCount), of \(documentSize) bytes) are not those of the footer (\(footer.blockCount), of \(footer.documentSize))",
                fileOffset: position)
        }
        var footer = footer
        footer.tag = tag ?? footer.tag
        return try store(under: footer, committedEnd: footer.end, because: cause)
    }

    /// The store whose only footer is damaged, but whose blocks and index are whole and agree.
    ///
    /// - Throws: `truncated` or `damagedFooter`.
    consuming func rebuildWithoutFooter() throws -> Store {
        let lost = QuireError(
            .damagedFooter, "no footer is whole, and the index does not say that all is here")
        while true {
            do {
                let header = try header()
                if header.kind == .index { break }
                try hop()
            } catch let fault as MemberFault {
                throw fault.asError(
                    fault.kind == .cutOff ? .truncated : .damagedFooter, at: position)
            }
        }
        let segmentOffset = position
        // Empty documents have no index that could vouch for them.
        guard storedSize >= UInt64(Footer.memberSize), blockCount > 0,
            let uuid = try? IndexMember(header()).uuid
        else { throw lost }
        let footerOffset = storedSize - UInt64(Footer.memberSize)
        guard segmentOffset < footerOffset else {
            throw QuireError(.truncated, "the store ends within its index", fileOffset: storedSize)
        }
        let encoded = try? IndexMember.entries(in: segmentOffset..<footerOffset, uuid: uuid) {
            try bytes.readBytes($0.count, at: $0.lowerBound)
        }
        guard let encoded, encoded == self.encoded else { throw lost }
        let footer = Footer(
            uuid: uuid, tag: tag ?? 0, blockSize: greatestBlock, revision: 1, time: 0,
            documentSize: documentSize, blockCount: blockCount, segmentOffset: segmentOffset,
            previousLive: nil, previous: nil, offset: footerOffset, entryCount: entries.count,
            segmentChecksum: checksum(encoded))
        return try store(
            under: footer, committedEnd: footerOffset,
            because: QuireError(.damagedFooter, "the footer is damaged", fileOffset: footerOffset))
    }

    /// What is wrong with the index and footer members of a store, of all its revisions.
    static func faults(in store: Store) -> [QuireError] {
        var faults: [QuireError] = []
        var start: UInt64 = 0
        // They lie between the blocks, and behind the last.
        func check(_ end: UInt64) {
            var hopper = StoreRebuilder(store.bytes, storedSize: end)
            hopper.position = start
            while hopper.position < end {
                let position = hopper.position
                do { try hopper.checkIndexMember() } catch let fault as MemberFault {
                    faults.append(fault.asError(.damagedIndex, at: position))
                    return
                } catch {
                    faults.append(
                        QuireError(
                            .damagedIndex, "a member cannot be read", fileOffset: position,
                            underlying: error))
                    return
                }
            }
        }
        store.forEachBlock { block in
            check(block.fileOffset)
            start = block.fileOffset + UInt64(block.memberSize)
        }
        check(store.committedEnd)
        return faults
    }

    /// Goes over one index or footer member, and checks all of it.
    private mutating func checkIndexMember() throws {
        let header = try header()
        guard header.kind == .index else { throw MemberFault("a block is not in the index") }
        let size = header.size + MemberHeader.emptyEnd.count
        guard UInt64(size) <= storedSize - position else {
            throw MemberFault("an index member runs past the next block")
        }
        let member = try bytes.readBytes(size, at: position)
        guard member.suffix(MemberHeader.emptyEnd.count).elementsEqual(MemberHeader.emptyEnd)
        else { throw MemberFault("an index member is not empty") }
        if try Footer(member, at: position) == nil { _ = try IndexMember(header) }
        position += UInt64(size)
    }

    private var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries { entry.encode(into: &bytes) }
        return bytes
    }

    private func store(
        under footer: Footer, committedEnd: UInt64, because cause: QuireError
    ) throws -> Store {
        do {
            let segment = try Segment(
                entries: entries, footer: footer, firstBlock: 0, offset: 0, fileOffset: 0)
            return Store(
                bytes: bytes, footer: footer, segments: [segment], storedSize: storedSize,
                committedEnd: committedEnd, rebuildCause: cause)
        } catch {
            throw error.asError(.damagedIndex, at: footer.segmentOffset)
        }
    }

    /// Goes over one member.
    private mutating func hop() throws {
        let header = try header()
        let memberSize: Int
        switch header.kind {
        case .block:
            let block = try BlockMember(header)
            guard tag == nil || tag == block.tag else {
                throw MemberFault("a block is of another store")
            }
            tag = block.tag
            memberSize = block.memberSize
            guard UInt64(memberSize) <= storedSize - position else {
                throw MemberFault("a block of \(memberSize) bytes runs past the end", .cutOff)
            }
            let trailer = try bytes.readBytes(
                MemberHeader.trailerSize,
                at: position + UInt64(memberSize - MemberHeader.trailerSize))
            guard trailer.littleEndian(at: 4, as: UInt32.self) == block.blockSize else {
                throw MemberFault("a block's ISIZE is not the size in its header")
            }
            entries.append(
                IndexEntry(
                    size: memberSize, length: block.blockSize, isStored: block.isStored,
                    checksum: trailer.littleEndian(at: 0)))
            documentSize += UInt64(block.blockSize)
            blockCount += 1
            greatestBlock = max(greatestBlock, block.blockSize)
        case .index:
            memberSize = header.size + MemberHeader.emptyEnd.count
            if let last = entries.last, last.isGap {
                entries[entries.count - 1].size += memberSize
            } else {
                entries.append(.gap(memberSize))
            }
        }
        position += UInt64(memberSize)
    }

    private func header() throws -> MemberHeader {
        let rest = storedSize - min(position, storedSize)
        var start = try bytes.readBytes(Int(min(rest, 64)), at: position)
        let size = try MemberHeader.size(of: start)
        if size > start.count, UInt64(size) <= rest {
            start = try bytes.readBytes(size, at: position)
        }
        return try MemberHeader(start)
    }
}
