public import Foundation

/// What a store says of itself.
public struct StoreInfo: Codable, Sendable {
    /// The identity of the document, kept by saves.
    public var uuid: UUID
    /// 1 for a new store, one more at each commit; 1 if only a damaged footer knew.
    public var revision: UInt64
    /// When that commit was made, to the millisecond; nil if only a damaged footer knew.
    public var committedAt: Date?
    /// Bytes of the document.
    public var documentSize: UInt64
    /// Bytes that the store takes.
    public var storedSize: UInt64
    /// The greatest size of a block, in bytes.
    public var blockSize: Int
    /// Blocks of the document.
    public var blockCount: Int
    /// How many of them are stored, not deflated.
    public var storedBlockCount: Int
    /// Bytes of the document in stored blocks.
    public var storedBlockByteCount: UInt64
    /// Bytes behind the last whole revision: a torn append. The next append removes them.
    public var tornByteCount: UInt64
    /// Whether the index was damaged, and made again from the blocks.
    public var isRebuilt: Bool
    /// What `compact()` would make of it. The sizes are an estimate, on the safe side: that larger blocks deflate better is not in it.
    public var compaction: Compaction
}

/// One commit of a store's history.
public struct RevisionInfo: Codable, Sendable {
    /// The number of the revision.
    public var revision: UInt64
    /// When it was committed, to the millisecond; nil if only a damaged footer knew.
    public var committedAt: Date?
    /// Bytes of the document.
    public var documentSize: UInt64
    /// Bytes that the store took.
    public var storedSize: UInt64
}

/// One block of a store.
public struct BlockInfo: Codable, Sendable {
    /// The number of the block, from 0.
    public var number: Int
    /// Where it begins in the document.
    public var offset: UInt64
    /// Its bytes in the document.
    public var size: Int
    /// Where its member begins in the stored bytes.
    public var fileOffset: UInt64
    /// Bytes of its member.
    public var memberSize: Int
    /// Whether it is stored, not deflated.
    public var isStored: Bool
    /// CRC-32 of the block.
    public var checksum: UInt32
}

extension CompressedDataProvider {
    /// One revision of a document, which later saves do not change.
    package struct Revision: Sendable {
        /// 1 for a new store, one more at each commit.
        package var number: UInt64
        package var contents: any DataProviding & Sendable
    }

    /// The revision that is read now. O(1).
    package func presentRevision() throws -> Revision {
        let snapshot = try current()
        return Revision(number: snapshot.store.footer.revision, contents: snapshot)
    }

    /// Facts of the present revision. O(blocks), no upstream read.
    public func info() throws -> StoreInfo {
        let store = try current().store
        var info = StoreInfo(
            uuid: store.footer.uuid, revision: store.footer.revision,
            committedAt: store.date(of: store.footer),
            documentSize: store.size, storedSize: store.storedSize,
            blockSize: store.footer.blockSize, blockCount: store.blockCount, storedBlockCount: 0,
            storedBlockByteCount: 0, tornByteCount: store.storedSize - store.committedEnd,
            isRebuilt: store.isRebuilt, compaction: store.estimatedCompaction)
        store.forEachBlock { block in
            guard block.isStored else { return }
            info.storedBlockCount += 1
            info.storedBlockByteCount += UInt64(block.size)
        }
        return info
    }

    /// The blocks of the present revision, in order. O(blocks), no upstream read.
    public func blocks() throws -> [BlockInfo] {
        var blocks: [BlockInfo] = []
        try current().store.forEachBlock { block in
            blocks.append(
                BlockInfo(
                    number: block.number, offset: block.offset, size: block.size,
                    fileOffset: block.fileOffset, memberSize: block.memberSize,
                    isStored: block.isStored, checksum: block.checksum))
        }
        return blocks
    }

    /// The commits since the store was last written anew, newest first. One upstream read each.
    ///
    /// - Throws: `damagedFooter` if the footer of an earlier one is damaged.
    public func history() throws -> [RevisionInfo] {
        let (revisions, damage) = try reachableHistory()
        if let damage { throw damage }
        return revisions
    }

    /// The same, up to a footer that is damaged.
    package func reachableHistory() throws -> (revisions: [RevisionInfo], damage: QuireError?) {
        let store = try current().store
        let (footers, damage) = try store.history()
        return (footers.map { store.info(of: $0) }, damage)
    }

    /// Reads and checks everything: each block, every member of every revision.
    ///
    /// - Parameter progress: called with the bytes of the document checked so far; what it throws stops the check.
    /// - Returns: what is damaged, in order; empty if the store is sound.
    public func verify(progress: (UInt64) throws -> Void = { _ in }) throws -> [QuireError] {
        let snapshot = try current()
        let blocks = try snapshot.damagedBlocks(progress: progress)
        let store = snapshot.store
        var damages = (store.rebuildCause.map { [$0] } ?? []) + blocks
        for fault in try StoreRebuilder.faults(in: store)
        where fault.fileOffset != store.rebuildCause?.fileOffset { damages.append(fault) }
        if store.committedEnd < store.storedSize, !store.isRebuilt {
            damages.append(
                QuireError(
                    .truncated,
                    "\(store.storedSize - store.committedEnd) bytes of a torn append follow",
                    fileOffset: store.committedEnd))
        }
        return damages
    }

    /// Writes the document as an ordinary gzip file of one member, for readers that know no other. Finishes the sink.
    ///
    /// - Parameter progress: called with the bytes of the document written so far; what it throws stops the export.
    public func exportPlain(
        to sink: any DataSink, level: Int = 6, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        guard 1...9 ~= level else {
            throw QuireError(.invalidArgument, "the level is \(level), allowed are 1...9")
        }
        let snapshot = try current()
        let gzip = try PlainGzip(level: level)
        var offset: UInt64 = 0
        repeat {
            let data = try snapshot.readData(withSize: 1 << 20, atOffset: offset)
            offset += UInt64(data.count)
            try gzip.write(data, isLast: offset == snapshot.size, to: sink)
            try progress(offset)
        } while offset < snapshot.size
        try sink.close()
    }
}

extension Store {
    func info(of footer: Footer) -> RevisionInfo {
        RevisionInfo(
            revision: footer.revision, committedAt: date(of: footer),
            documentSize: footer.documentSize, storedSize: footer.end)
    }

    /// When a footer was committed; nil if it was made up for one that is damaged.
    func date(of footer: Footer) -> Date? {
        guard hasFooter || footer != self.footer else { return nil }
        return Date(timeIntervalSince1970: Double(footer.time) / 1000)
    }
}
