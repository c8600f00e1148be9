import Foundation

/// Lays out one commit in a sink: the block members as they come, then the segment, a barrier, and the footer.
struct StoreWriter {
    let tag: UInt32
    let blockSize: Int
    private let uuid: UUID
    private let revision: UInt64
    private let previous: Store?
    private var entries: [IndexEntry] = []
    private var fileOffset: UInt64
    private var documentSize: UInt64
    private(set) var blockCount: UInt64
    /// Of the entries of the blocks before this commit's.
    private var blocksChecksum: UInt32 = 0
    private let limit = FormatLimit.Writing.present

    /// A store written anew.
    init(uuid: UUID, revision: UInt64, blockSize: Int) {
        self.uuid = uuid
        self.revision = revision
        self.blockSize = blockSize
        tag = UInt32.random(in: 0 ... .max)
        previous = nil
        (fileOffset, documentSize, blockCount) = (0, 0, 0)
    }

    /// The revision that follows a store's.
    static func revision(after store: Store) throws -> UInt64 {
        guard store.footer.revision < Footer.revisionLimit else {
            throw QuireError(.limitExceeded, "the store has had \(Footer.revisionLimit) revisions")
        }
        return store.footer.revision + 1
    }

    /// An append to `store`.
    init(appendingTo store: Store) throws {
        uuid = store.footer.uuid
        revision = try Self.revision(after: store)
        blockSize = store.footer.blockSize
        tag = store.footer.tag
        previous = store
        fileOffset = store.committedEnd
        documentSize = store.size
        blockCount = store.footer.blockCount
        blocksChecksum = store.footer.blocksChecksum ?? store.blocksChecksum
    }

    /// Writes a block's member.
    mutating func write(_ member: Data, of entry: IndexEntry, to sink: any DataSink) throws {
        guard documentSize + UInt64(entry.length) <= limit.documentSize else {
            throw QuireError(.limitExceeded, "the document exceeds \(limit.documentSize) bytes")
        }
        try put(member, to: sink)
        entries.append(entry)
        documentSize += UInt64(entry.length)
        blockCount += 1
    }

    /// Writes segment and footer.
    ///
    /// - Returns: the live segments of the store as it now is.
    mutating func finish(to sink: any DataSink) throws -> [Segment] {
        // Newer segments swallow older ones that are not larger, so that the chain stays short.
        var live = previous?.segments ?? []
        var segmentEntries = entries
        var start = fileOffset - entries.reduce(0) { $0 + UInt64($1.size) }
        while let last = live.last,
            previous?.isRebuilt == true || last.footer.entryCount <= segmentEntries.count
        {
            live.removeLast()
            let first = live.last?.footer.end ?? 0
            let taken = last.entries(from: first)
            let end = first + taken.reduce(0) { $0 + UInt64($1.size) }
            let gap = Int(start - end)
            if gap > 0 {
                if let next = segmentEntries.first, next.isGap {
                    segmentEntries[0].size += gap
                } else {
                    segmentEntries.insert(.gap(gap), at: 0)
                }
            }
            segmentEntries = taken + segmentEntries
            start = first
        }
        guard segmentEntries.count <= limit.entryCount,
            segmentEntries.allSatisfy({ $0.size <= limit.entrySize })
        else { throw QuireError(.limitExceeded, "the store exceeds what an index can hold") }
        let encoded = IndexEntry.encoded(segmentEntries)
        let segmentOffset = fileOffset
        try put(Data(IndexMember.encode(segment: encoded, uuid: uuid)), to: sink)
        if let ordered = sink as? any OrderedDataSink, !ordered.barrier() {
            throw ordered.failure ?? QuireError(.fileSystem, "the upstream's sink failed")
        }
        let footer = Footer(
            uuid: uuid, tag: tag, blockSize: blockSize, revision: revision,
            time: Int64(Date().timeIntervalSince1970 * 1000), documentSize: documentSize,
            blockCount: blockCount, segmentOffset: segmentOffset,
            previousLive: live.last?.footer.offset, previous: previousFooterOffset,
            offset: fileOffset, entryCount: segmentEntries.count,
            segmentChecksum: checksum(encoded),
            blocksChecksum: checksum(IndexEntry.encoded(entries), seed: blocksChecksum))
        try put(Data(footer.encoded), to: sink)
        do {
            live.append(
                try Segment(
                    entries: encoded, footer: footer,
                    firstBlock: live.last.map { $0.firstBlock + $0.blockCount } ?? 0,
                    offset: live.last?.end ?? 0, fileOffset: start))
        } catch let fault as MemberFault {
            throw fault.asError(.damagedIndex, at: segmentOffset)
        }
        return live
    }

    /// A footer that was only made up is not on disk.
    private var previousFooterOffset: UInt64? {
        previous.flatMap { $0.hasFooter ? $0.footer.offset : nil }
    }

    private mutating func put(_ data: Data, to sink: any DataSink) throws {
        guard !data.isEmpty else { return }
        guard fileOffset + UInt64(data.count) <= limit.storedSize else {
            throw QuireError(.limitExceeded, "the store exceeds \(limit.storedSize) bytes")
        }
        try sink.put(data)
        fileOffset += UInt64(data.count)
    }
}
