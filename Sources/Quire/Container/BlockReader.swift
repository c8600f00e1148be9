import Foundation

/// Reads a store's document: from the cache, straight from the store what was checked before, else by loading blocks.
final class BlockReader: Sendable {
    let loader: BlockLoader
    private let cache: BlockCache
    private let prefetcher: Prefetcher

    /// From so many bytes on whole blocks are read on all cores.
    private static let leastForAllCores = 1 << 18

    init(cacheByteBudget: Int, codec: any BlockCodec) {
        loader = BlockLoader(codec: codec)
        cache = BlockCache(byteBudget: cacheByteBudget)
        prefetcher = Prefetcher(cacheByteBudget: cacheByteBudget)
    }

    func dropCache() {
        prefetcher.cancel()
        cache.removeAll()
        loader.dropScratch()
    }

    /// Fills the free capacity of `output` from `offset` on; the document must have that many bytes.
    func read(into output: inout OutputRawSpan, from store: Store, at offset: UInt64) throws {
        var position = offset
        while output.freeCapacity > 0 {
            let place = try store.find(position)
            let block = place.segment[place.index]
            let start = Int(position - block.offset)
            if start == 0, output.freeCapacity >= Self.leastForAllCores,
                let blocks = try wholeBlocks(from: block, in: output.freeCapacity, of: store)
            {
                position += UInt64(try readAtOnce(blocks, of: store, into: &output))
                continue
            }
            if prefetcher.moves(to: block.number, of: store) { prefetchInBackground() }
            let range = start..<min(start + output.freeCapacity, block.size)
            try read(range, of: block, at: place, in: store, into: &output)
            position += UInt64(range.count)
        }
    }

    /// Begins to load the blocks of a range in the background, as far as half of the cache goes.
    func prefetch(_ range: Range<UInt64>, of store: Store) throws {
        guard !range.isEmpty else { return }
        let (first, last) = (
            try store.find(range.lowerBound), try store.find(range.upperBound - 1)
        )
        let blocks = first.segment[first.index].number...last.segment[last.index].number
        if prefetcher.isAsked(for: Range(blocks), of: store) { prefetchInBackground() }
    }

    private func prefetchInBackground() {
        DispatchQueue.global(qos: .userInitiated).async { [weak self] in
            // Not kept: what nobody can read any more is not loaded.
            while self?.loadNextAhead(isWorker: true) == true {}
        }
    }

    /// Loads the next block that is to be loaded ahead; false if there is none. What is wrong with it is for its reader to find.
    private func loadNextAhead(isWorker: Bool) -> Bool {
        guard let (store, number) = prefetcher.next(isWorker: isWorker) else { return false }
        if let place = try? store.place(ofBlock: number) {
            let block = place.segment[place.index]
            if !block.isStored || !place.segment.isChecked(place.index) {
                _ = try? load(block, at: place, of: store) { false }
            }
        }
        return true
    }

    /// A range of one block.
    private func read(
        _ range: Range<Int>, of block: BlockLocation, at place: Store.Place, in store: Store,
        into output: inout OutputRawSpan
    ) throws {
        if block.isStored {
            if !place.segment.isChecked(place.index) {
                _ = try load(block, at: place, of: store) { loadNextAhead(isWorker: false) }
            }
            return try readStored(range, of: block, in: store, into: &output)
        }
        var cached = cache.cachedBlock(for: store.key(of: block))
        if cached == nil, let runs = place.segment.storedRuns(of: place.index),
            let offset = runs.memberOffset(of: range)
        {
            let fileOffset = block.fileOffset + UInt64(offset)
            return try output.append(upTo: range.count) {
                try store.bytes.readAll(into: &$0, at: fileOffset)
            }
        }
        if cached == nil {
            cached = try load(block, at: place, of: store) { loadNextAhead(isWorker: false) }
        }
        cached?.copy(range, into: &output)
    }

    /// Checks a stored block, or inflates a deflated one into the cache; once, however many threads want it.
    ///
    /// - Parameter meanwhile: something else to do while another thread does it; false if there is nothing.
    /// - Returns: the block if it was deflated.
    private func load(
        _ block: BlockLocation, at place: Store.Place, of store: Store, meanwhile: () -> Bool
    ) throws -> AlignedBuffer? {
        try cache.block(for: store.key(of: block), meanwhile: meanwhile) {
            if block.isStored {
                try loader.check(block, of: store)
                place.segment.setChecked(place.index)
                return nil
            }
            let buffer = AlignedBuffer(capacity: block.size)
            try buffer.fill(upTo: block.size) {
                let runs = try loader.inflate(block, of: store, into: &$0)
                place.segment.setStoredRuns(runs, of: place.index)
            }
            return buffer
        }
    }

    /// A range of a stored block that was checked before, straight into the caller's buffer.
    private func readStored(
        _ range: Range<Int>, of block: BlockLocation, in store: Store,
        into output: inout OutputRawSpan
    ) throws {
        let deflateSize = StoredBlock.deflateSize(blockSize: block.size)
        let start =
            block.fileOffset + UInt64(block.memberSize - MemberHeader.trailerSize - deflateSize)
        for piece in StoredBlock.pieces(of: range) {
            let fileOffset = start + UInt64(StoredBlock.deflateOffset(of: piece.lowerBound))
            try output.append(upTo: piece.count) {
                try store.bytes.readAll(into: &$0, at: fileOffset)
            }
        }
    }

    // MARK: All cores

    /// The blocks from `first` on that lie in `byteCount` bytes as a whole; nil if they are not two at least.
    private func wholeBlocks(
        from first: BlockLocation, in byteCount: Int, of store: Store
    ) throws -> Range<Int>? {
        let end = first.offset + UInt64(byteCount)
        let place = try store.find(end - 1)
        let last = place.segment[place.index]
        let blocks = first.number..<(last.end <= end ? last.number + 1 : last.number)
        return blocks.count > 1 ? blocks : nil
    }

    /// Whole blocks on all cores, each straight to its place in the caller's buffer; they do not enter the cache.
    ///
    /// - Returns: their bytes.
    private func readAtOnce(
        _ blocks: Range<Int>, of store: Store, into output: inout OutputRawSpan
    ) throws -> Int {
        let (first, last) = (
            try store.place(ofBlock: blocks.lowerBound),
            try store.place(ofBlock: blocks.upperBound - 1)
        )
        let start = first.segment[first.index].offset
        let byteCount = Int(last.segment[last.index].end - start)
        try output.append(upTo: byteCount) { part in
            try unsafe part.withUnsafeMutableBytes { buffer, initialized in
                // SAFETY: blocks tile the document, so each task has a part of the buffer of its own; they end before this call.
                nonisolated(unsafe) let buffer = unsafe buffer
                try onAllCores(blocks, step: max(1, 65_536 / store.footer.blockSize)) { number in
                    let place = try store.place(ofBlock: number)
                    let block = place.segment[place.index]
                    let begin = Int(block.offset - start)
                    let memory = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: buffer[begin..<begin + block.size])
                    var output = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
                    let result = Result {
                        try readWhole(block, at: place, in: store, into: &output)
                    }
                    unsafe _ = output.finalize(for: memory)
                    try result.get()
                }
                initialized = byteCount
            }
        }
        return byteCount
    }

    private func readWhole(
        _ block: BlockLocation, at place: Store.Place, in store: Store,
        into output: inout OutputRawSpan
    ) throws {
        if block.isStored {
            if place.segment.isChecked(place.index) {
                try readStored(0..<block.size, of: block, in: store, into: &output)
            } else {
                try loader.copyStored(block, of: store, into: &output)
                place.segment.setChecked(place.index)
            }
        } else if let cached = cache.cachedBlock(for: store.key(of: block)) {
            cached.copy(0..<block.size, into: &output)
        } else {
            let runs = try loader.inflate(block, of: store, into: &output)
            place.segment.setStoredRuns(runs, of: place.index)
        }
    }
}
