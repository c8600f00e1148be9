import Foundation

/// Opens stores whose last footer or index is not where it should be, by hopping from member to member.
struct StoreRebuilder {
    private let bytes: any DataProviding & Sendable
    private let storedSize: UInt64

    init(_ bytes: any DataProviding & Sendable, storedSize: UInt64) {
        self.bytes = bytes
        self.storedSize = storedSize
    }

    /// The store under a whole footer whose index is damaged or is not of these blocks.
    ///
    /// Damaged index members and footers between the blocks are passed over: what the footer says of the blocks tells whether all are
    /// there.
    ///
    /// - Throws: `damagedIndex` if the hop does not arrive at the footer with what it says.
    func rebuild(under footer: Footer, because cause: QuireError) throws -> Store {
        var hop = MemberHop(bytes, to: footer.segmentOffset)
        var passed: QuireError?
        while hop.position < footer.segmentOffset {
            do { try hop.next() } catch let fault as MemberFault {
                let error = fault.asError(.damagedIndex, at: hop.position)
                guard try hop.passDamagedIndexMember() else { throw passed ?? error }
                passed = passed ?? error
            }
        }
        guard hop.documentSize == footer.documentSize, hop.blockCount == footer.blockCount else {
            throw passed
                ?? QuireError(
                    .damagedIndex,
                    "the index is damaged, and the blocks (\(hop.blockCount), of \(hop.documentSize) bytes) are not those of the footer (\(footer.blockCount), of \(footer.documentSize))",
                    fileOffset: hop.position)
        }
        let sum = IndexEntry.checksum(ofBlocksIn: IndexEntry.encoded(hop.entries))
        var footer = footer
        if let tag = hop.tag, tag != footer.tag {
            // An index of another store. What came with it may begin within the last block, behind its seal.
            let isMixed =
                try footer.blocksChecksum != sum
                && lastChecksum(under: footer) == hop.entries.last { !$0.isGap }?.checksum
            guard !isMixed else {
                throw QuireError(
                    .damagedIndex, "the last block is of the store that the index is of",
                    fileOffset: cause.fileOffset)
            }
            (footer.tag, footer.blocksChecksum) = (tag, sum)
        }
        guard footer.blocksChecksum ?? sum == sum else {
            throw QuireError(
                .damagedIndex, "the index is damaged, and the blocks are not all of one document",
                fileOffset: cause.fileOffset)
        }
        return try store(
            of: hop.entries, under: footer, committedEnd: footer.end, because: cause)
    }

    /// The CRC of the last block in the index of a footer; nil if there is none, or it is damaged.
    private func lastChecksum(under footer: Footer) throws -> UInt32? {
        do {
            let encoded = try IndexMember.entries(
                in: footer.segmentOffset..<footer.offset, uuid: footer.uuid
            ) { try bytes.readBytes($0.count, at: $0.lowerBound) }
            return encoded.isEmpty
                ? nil : IndexEntry(encoded, at: encoded.count - IndexEntry.encodedSize).checksum
        } catch is MemberFault { return nil }
    }

    /// The last whole footer of a store that does not end with one, and what ended the search.
    ///
    /// Only members are looked at, never the inside of blocks: a document may contain what looks like a footer.
    func lastFooter() throws -> (footer: Footer?, fault: MemberFault, position: UInt64) {
        var hop = MemberHop(bytes, to: storedSize)
        var last: Footer?
        while true {
            do {
                guard try hop.header().kind == .index else {
                    try hop.next()
                    continue
                }
                let footer = try hop.nextIndexMember()
                if let footer, footer.tag == hop.tag ?? footer.tag,
                    footer.uuid == last?.uuid ?? footer.uuid
                {
                    last = footer
                }
            } catch let fault as MemberFault {
                if let tag = last?.tag ?? hop.tag, try !isBlank(at: hop.position),
                    let later = try footer(behind: hop.position, of: tag, after: last)
                {
                    return (later, fault, hop.position)
                }
                return (last, fault, hop.position)
            }
        }
    }

    /// Whether there are zeros here: what some file systems leave of a torn append.
    private func isBlank(at position: UInt64) throws -> Bool {
        let count = Int(min(storedSize - position, 64))
        return try bytes.readBytes(count, at: position).allSatisfy { $0 == 0 }
    }

    /// A later footer of the same store behind a member that is damaged; one that a crash tore has none behind it.
    private func footer(
        behind start: UInt64, of tag: UInt32, after last: Footer?
    ) throws -> Footer? {
        let windowSize: UInt64 = 1 << 20
        let member = UInt64(Footer.memberSize)
        // What is looked for: the tag in its place, behind the UUID, which nobody else's document has by chance.
        var needle: [UInt8] = []
        needle.append(littleEndian: tag)
        var end = storedSize
        while end >= start + member {
            let from = max(start, end > windowSize ? end - windowSize : 0)
            let window = try bytes.readBytes(Int(end - from), at: from)
            let places = unsafe window.withUnsafeBytes { unsafe $0.places(of: needle) }
            for match in places.reversed() where match >= Footer.tagOffset {
                let offset = match - Footer.tagOffset
                guard offset + Footer.memberSize <= window.count,
                    window[offset...].starts(with: MemberHeader.magic)
                else { continue }
                let bytes = Array(window[offset..<offset + Footer.memberSize])
                if let footer = try? Footer(bytes, at: from + UInt64(offset)), footer.tag == tag,
                    footer.uuid == last?.uuid ?? footer.uuid,
                    footer.revision > last?.revision ?? 0
                {
                    return footer
                }
            }
            if from == start { return nil }
            end = from + member - 1
        }
        return nil
    }

    /// The store whose only footer is damaged, but whose blocks and index are whole and agree.
    ///
    /// - Throws: `truncated` or `damagedFooter`.
    func rebuildWithoutFooter() throws -> Store {
        var hop = MemberHop(bytes, to: storedSize)
        let first: IndexMember
        do {
            while try hop.header().kind == .block { try hop.next() }
            first = try IndexMember(hop.header())
        } catch let fault as MemberFault {
            throw fault.asError(
                fault.kind == .cutOff ? .truncated : .damagedFooter, at: hop.position)
        }
        let segmentOffset = hop.position
        let lost = QuireError(
            .damagedFooter, "no footer is whole, and the index does not say that all is here",
            fileOffset: segmentOffset)
        let footerSize = UInt64(Footer.memberSize)
        // Empty documents have no index that could vouch for them.
        guard hop.blockCount > 0 else { throw lost }
        guard segmentOffset + footerSize < storedSize else {
            throw QuireError(.truncated, "the store ends within its index", fileOffset: storedSize)
        }
        let footerOffset = storedSize - footerSize
        let end = try bytes.readBytes(Footer.memberSize, at: footerOffset)
        if let moved = Footer.moved(end) {
            throw QuireError(
                .damagedFooter,
                "the footer here is of byte \(moved.offset): the store has lost or gained bytes in front of it",
                fileOffset: footerOffset)
        }
        var found: [UInt8] = []
        do {
            found = try IndexMember.entries(in: segmentOffset..<footerOffset, uuid: first.uuid) {
                try bytes.readBytes($0.count, at: $0.lowerBound)
            }
        } catch is MemberFault { throw lost }
        let encoded = IndexEntry.encoded(hop.entries)
        guard found == encoded else { throw lost }
        let footer = Footer(
            uuid: first.uuid, tag: hop.tag ?? 0, blockSize: hop.greatestBlock, revision: 1, time: 0,
            documentSize: hop.documentSize, blockCount: hop.blockCount,
            segmentOffset: segmentOffset, previousLive: nil, previous: nil, offset: footerOffset,
            entryCount: hop.entries.count, segmentChecksum: checksum(encoded),
            blocksChecksum: IndexEntry.checksum(ofBlocksIn: encoded))
        return try store(
            of: hop.entries, under: footer, committedEnd: footerOffset,
            because: QuireError(.damagedFooter, "the footer is damaged", fileOffset: footerOffset))
    }

    private func store(
        of entries: [IndexEntry], under footer: Footer, committedEnd: UInt64,
        because cause: QuireError
    ) throws -> Store {
        do {
            let segment = try Segment(
                entries: IndexEntry.encoded(entries), footer: footer, firstBlock: 0, offset: 0,
                fileOffset: 0)
            return Store(
                bytes: bytes, footer: footer, segments: [segment], storedSize: storedSize,
                committedEnd: committedEnd, rebuildCause: cause)
        } catch let fault as MemberFault {
            throw fault.asError(.damagedIndex, at: footer.segmentOffset)
        }
    }

    /// What is wrong with the index and footer members of a store, of all its revisions.
    ///
    /// - Throws: the upstream's errors: that bytes cannot be read now does not mean that they are damaged.
    static func faults(in store: Store) throws -> [QuireError] {
        var faults: [QuireError] = []
        var start: UInt64 = 0
        // They lie between the blocks, and behind the last.
        func check(_ end: UInt64) throws {
            var hop = MemberHop(store.bytes, from: start, to: end)
            do {
                while hop.position < end { _ = try hop.nextIndexMember() }
            } catch let fault as MemberFault {
                faults.append(fault.asError(.damagedIndex, at: hop.position))
            } catch let error as QuireError
                where error.code == .unsupportedVersion || error.code == .unsupportedFeature
            {
                // The last footer is of this version, and so are those before it.
                faults.append(QuireError(.damagedFooter, error.message, fileOffset: hop.position))
            }
        }
        try store.forEachBlock { block in
            try check(block.fileOffset)
            start = block.fileOffset + UInt64(block.memberSize)
        }
        try check(store.committedEnd)
        return faults
    }
}
