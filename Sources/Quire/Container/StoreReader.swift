import Foundation

/// Opens a store in the order of FORMAT.md, section 6: one read of the tail, one of the index.
struct StoreReader {
    /// Enough for the footer and the index of a document of 20 MB.
    private static let tailSize: UInt64 = 4096
    private let bytes: any DataProviding & Sendable
    private let storedSize: UInt64
    /// The last bytes of the store, from `tailOffset` on.
    private let tail: [UInt8]
    private let tailOffset: UInt64

    static func open(_ bytes: any DataProviding & Sendable) throws -> Store {
        try StoreReader(bytes).open()
    }

    private init(_ bytes: any DataProviding & Sendable) throws {
        self.bytes = bytes
        storedSize = bytes.size
        let count = min(storedSize, Self.tailSize)
        tailOffset = storedSize - count
        tail = try bytes.readBytes(Int(count), at: tailOffset)
    }

    private func open() throws -> Store {
        let footerSize = UInt64(Footer.memberSize)
        guard storedSize <= FormatLimit.storedSize else {
            throw QuireError(.limitExceeded, "the store claims \(storedSize) bytes")
        }
        if storedSize >= footerSize, let footer = try footer(at: storedSize - footerSize) {
            return try store(under: footer)
        }
        try checkStart()
        let rebuilder = StoreRebuilder(bytes, storedSize: storedSize)
        let (footer, fault, position) = try rebuilder.lastFooter()
        guard let footer else { return try rebuilder.rebuildWithoutFooter() }
        // A torn append begins with a header of ours, as far as it goes, or with zeros or nonsense.
        if position == footer.end, try fault.kind == .foreign || isForeignGzip(at: position) {
            throw QuireError(
                .foreignTail, "something that is not of this store follows its last revision",
                fileOffset: position)
        }
        return try store(under: footer)
    }

    private func store(under footer: Footer) throws -> Store {
        do {
            return Store(
                bytes: bytes, footer: footer, segments: try segments(under: footer),
                storedSize: storedSize)
        } catch let error as QuireError where error.code == .damagedIndex {
            return try StoreRebuilder(bytes, storedSize: storedSize).rebuild(
                under: footer, because: error)
        }
    }

    /// The live segments, oldest first. Each step goes to a lower file offset, so it ends.
    private func segments(under last: Footer) throws -> [Segment] {
        var footers = [last]  // newest first
        while let newer = footers.last, let offset = newer.previousLive {
            guard let footer = try footer(at: offset), footer.uuid == last.uuid,
                footer.tag == last.tag, footer.blockSize == last.blockSize,
                footer.revision < newer.revision,
                footer.entryCount > newer.entryCount,
                footer.documentSize <= newer.documentSize, footer.blockCount <= newer.blockCount
            else {
                throw QuireError(
                    .damagedIndex, "the footer of a live segment is damaged", fileOffset: offset)
            }
            footers.append(footer)
        }
        var segments: [Segment] = []
        var sum: UInt32 = 0
        for footer in footers.reversed() {
            segments.append(try segment(under: footer, after: segments.last, &sum))
        }
        guard last.blocksChecksum ?? sum == sum else {
            throw QuireError(
                .damagedIndex, "the indexes are not all of one document",
                fileOffset: last.segmentOffset)
        }
        return segments
    }

    /// - Parameter sum: the CRC of the entries of the blocks so far.
    private func segment(
        under footer: Footer, after previous: Segment?, _ sum: inout UInt32
    ) throws -> Segment {
        let byteCount = footer.offset - footer.segmentOffset
        guard UInt64(footer.entryCount) * UInt64(IndexEntry.encodedSize) <= byteCount else {
            throw QuireError(
                .damagedIndex,
                "the footer claims \(footer.entryCount) index entries, there is room for \(byteCount) bytes",
                fileOffset: footer.offset)
        }
        do {
            var members = IndexMembers(
                in: footer.segmentOffset..<footer.offset, uuid: footer.uuid, read: read)
            let segment = try Segment(
                footer: footer,
                firstBlock: previous.map { $0.firstBlock + $0.blockCount } ?? 0,
                offset: previous?.end ?? 0, fileOffset: previous?.footer.end ?? 0,
                entryCount: footer.entryCount
            ) {
                let entries = try members.next()
                if let entries { sum = IndexEntry.checksum(ofBlocksIn: entries, seed: sum) }
                return entries
            }
            guard members.entryCount == footer.entryCount,
                members.checksum == footer.segmentChecksum
            else { throw MemberFault("the index is not the one that its footer names") }
            return segment
        } catch let fault as MemberFault {
            throw fault.asError(.damagedIndex, at: footer.segmentOffset)
        }
    }

    private func footer(at fileOffset: UInt64) throws -> Footer? {
        try Footer(read(fileOffset..<fileOffset + UInt64(Footer.memberSize)), at: fileOffset)
    }

    /// Bytes of the store, from the tail where it has them.
    private func read(_ range: Range<UInt64>) throws -> [UInt8] {
        guard range.lowerBound >= tailOffset, range.upperBound <= storedSize else {
            return try bytes.readBytes(range.count, at: range.lowerBound)
        }
        return Array(
            tail[Int(range.lowerBound - tailOffset)..<Int(range.upperBound - tailOffset)])
    }

    /// The store has no footer at its end: is it one at all?
    private func checkStart() throws {
        let count = min(storedSize, UInt64(MemberHeader.emptyMemberLimit))
        let start = try bytes.readBytes(Int(count), at: 0)
        if (try? MemberHeader(start)) != nil { return }
        guard start.starts(with: [0x1f, 0x8b]) else {
            throw QuireError(.notAStore, "this is not a Quire store: it is not gzip")
        }
        // Cut within the first header of ours, or somebody else's gzip file?
        let ours = MemberHeader.encode(.block, payload: Array(repeating: 0, count: 16)).prefix(16)
        if start.count < BlockMember.headerSize, start.prefix(16) == ours.prefix(start.count) {
            throw QuireError(
                .truncated, "the store ends within its first member", fileOffset: storedSize)
        }
        throw QuireError(
            .notAStore,
            "this is gzip, but not a Quire store: its first member has no block subfield")
    }

    /// Whether a gzip member of another make begins here; a sector that a crash left empty is none.
    private func isForeignGzip(at position: UInt64) throws -> Bool {
        let start = try bytes.readBytes(Int(min(storedSize - position, 64)), at: position)
        return start.starts(with: MemberHeader.magic.prefix(3))
            && start.count > 3 && start[3] != MemberHeader.magic[3]
            && start.dropFirst(3).contains { $0 != 0 }
    }
}
