import Foundation

/// What became of a store that was compacted, or what would.
public struct Compaction: Codable, Sendable, Equatable {
    /// Blocks before.
    public var blockCountBefore: Int
    /// Blocks after.
    public var blockCount: Int
    /// Bytes of the store before, a torn append included.
    public var storedSizeBefore: UInt64
    /// Bytes of the store after; not more than before.
    public var storedSize: UInt64

    /// Bytes of the store that are spared.
    public var sparedByteCount: UInt64 { storedSizeBefore - min(storedSize, storedSizeBefore) }

    /// Whether it is worth the loss of the history: it spares a twentieth of the bytes, or half of the blocks and more than eight.
    public var pays: Bool {
        sparedByteCount > 0 && sparedByteCount >= storedSizeBefore / 20
            || blockCountBefore > 8 && blockCount <= blockCountBefore / 2
    }
}

extension CompressedDataProvider {
    /// Rebuilds a store of many small saves into full blocks, in one step and as one new revision of the same document.
    ///
    /// Full blocks at the front are taken over as they are; what follows the first short one is deflated anew with this provider's
    /// configuration, in blocks of the store's own size. The earlier revisions are then gone: look at `info().compaction`
    /// before. A store that would not shrink is left alone. Costs a read and a check of all blocks, and a write of the store.
    ///
    /// - Parameter progress: called with the bytes of the document done so far; what it throws stops it, and changes nothing.
    /// - Returns: what it saved; the same before and after if there was nothing to save.
    /// - Throws: `damagedBlock`; `conflict` if the document was saved meanwhile, by anyone; the upstream's errors. The store
    ///   is then as it was, unless the error is `notDurable`.
    @discardableResult
    public func compact(progress: (UInt64) throws -> Void = { _ in }) throws -> Compaction {
        try replacing { try compact($0, progress) }
    }

    private func compact(
        _ base: StoreSnapshot, _ progress: (UInt64) throws -> Void
    ) throws -> Compaction {
        let store = base.store
        var result = store.estimatedCompaction
        guard result.sparedByteCount > 0 else { return result }
        let writer = StoreWriter(
            uuid: store.footer.uuid, revision: try StoreWriter.revision(after: store),
            blockSize: store.footer.blockSize)
        let sink = CompressedDataSink(
            writer: writer, upstream: try sinkInPlace(of: store), isWholeStore: true, options: [],
            owner: self, base: base, configuration: configuration)
        var position = try copyFullBlocks(of: store, to: sink, progress)
        while position < base.size {
            let part = try base.readData(withSize: 1 << 20, atOffset: position)
            try sink.put(part)
            position += UInt64(part.count)
            try progress(position)
        }
        try sink.close()
        let footer = sink.segments[sink.segments.count - 1].footer
        guard footer.end < store.storedSize else {
            // The blocks before were deflated harder than this provider does.
            (result.blockCount, result.storedSize) = (result.blockCountBefore, store.storedSize)
            return result
        }
        try replaceContents(with: sink)
        (result.blockCount, result.storedSize) = (Int(footer.blockCount), footer.end)
        return result
    }

    /// - Returns: where in the document the full blocks at its front end, or where the index turned out to be stale.
    private func copyFullBlocks(
        of store: Store, to sink: CompressedDataSink, _ progress: (UInt64) throws -> Void
    ) throws -> UInt64 {
        var position: UInt64 = 0
        do {
            for number in 0..<store.fullBlockCount {
                let place = try store.place(ofBlock: number)
                let block = place.segment[place.index]
                try sink.copy(block, of: store, through: reader.loader)
                position = block.end
                try progress(position)
            }
        } catch is StaleIndex {}  // reading rebuilds it
        return position
    }
}

extension Store {
    /// The full blocks at the front.
    fileprivate var fullBlockCount: Int {
        for segment in segments {
            for index in 0..<segment.blockCount where segment[index].size < footer.blockSize {
                return segment[index].number
            }
        }
        return blockCount
    }

    /// What a compaction would make of the store: fewer headers, one index, no earlier footers. O(blocks).
    var estimatedCompaction: Compaction {
        let kept = fullBlockCount
        let rest = size - UInt64(kept) * UInt64(footer.blockSize)
        let count =
            kept + Int((rest + UInt64(footer.blockSize) - 1) / UInt64(footer.blockSize))
        var members: UInt64 = 0
        forEachBlock { members += UInt64($0.memberSize) }
        let headers = UInt64(BlockMember.headerSize + MemberHeader.trailerSize)
        let after =
            members - UInt64(max(0, blockCount - count)) * headers
            + UInt64(IndexMember.encodedSize(entryCount: count) + Footer.memberSize)
        let isSmaller = after < storedSize
        return Compaction(
            blockCountBefore: blockCount, blockCount: isSmaller ? count : blockCount,
            storedSizeBefore: storedSize, storedSize: min(after, storedSize))
    }
}
