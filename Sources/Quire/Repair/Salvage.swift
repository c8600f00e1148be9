import Foundation

/// A document block by block, as far as its blocks are whole, however damaged its store is.
package struct Salvage {
    /// A part of the document that is lost.
    package struct Hole: Sendable {
        /// Where it begins in the document.
        package var offset: UInt64
        /// Bytes of it; 0 if the end of the document is lost, and nothing tells how far away it was.
        package var size: UInt64
        /// Whether `size`, and with it where the later blocks lie, is certain.
        package var isSizeCertain = true
        /// How many blocks are lost.
        package var blockCount: Int
        /// Why, with the number of the first of the blocks and where it lay.
        package var cause: QuireError
    }

    private enum Piece {
        case block(BlockLocation)
        case hole(Hole)
    }

    /// Bytes of the document, holes included.
    package private(set) var documentSize: UInt64 = 0
    private var pieces: [Piece] = []
    /// Where the last block that was met ends in the stored bytes.
    private var storedEnd: UInt64 = 0
    private let store: Store
    private let loader: BlockLoader

    package var holes: [Hole] {
        pieces.compactMap { if case .hole(let hole) = $0 { hole } else { nil } }
    }

    /// The revision that `write` makes.
    package var revision: UInt64 { store.footer.revision + 1 }

    /// Blocks that are whole.
    package var wholeBlockCount: Int { pieces.count - holes.count }

    /// Checks every block of a store that opens.
    init(_ snapshot: StoreSnapshot, progress: (UInt64) throws -> Void) throws {
        var damages: [Int: QuireError] = [:]
        for damage in try snapshot.damagedBlocks(progress: progress) {
            if let number = damage.blockNumber { damages[number] = damage }
        }
        store = snapshot.store
        loader = snapshot.reader.loader
        documentSize = store.size
        var pieces: [Piece] = []
        store.forEachBlock { block in
            let hole = damages[block.number].map {
                Hole(offset: block.offset, size: UInt64(block.size), blockCount: 1, cause: $0)
            }
            pieces.append(hole.map { .hole($0) } ?? .block(block))
        }
        self.pieces = pieces
    }

    /// The blocks of a store, whether it opens or not.
    ///
    /// - Throws: what opening it throws, if no block of it is whole.
    package init(
        of bytes: any DataProviding & Sendable, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        do {
            let reader = BlockReader(cacheByteBudget: 0, codec: Codec.standard)
            let snapshot = StoreSnapshot(try StoreReader.open(bytes), reader: reader)
            try self.init(snapshot, progress: progress)
        } catch let failure as QuireError where failure.isDamage || failure.code == .notAStore {
            try self.init(scanning: bytes, progress: progress)
            guard wholeBlockCount > 0 else { throw failure }
        }
    }

    /// Looks for the blocks of a store that does not open, and checks those that it finds.
    ///
    /// Their seals number them, and footers say how many bytes so many blocks are. Where that leaves a choice, lost
    /// blocks are taken for full ones, as all are but the last of a save.
    package init(
        scanning bytes: any DataProviding & Sendable, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        let scan = try StoreScan(bytes)
        let last = scan.counts.last
        let footer = Footer(
            uuid: last?.uuid ?? UUID(), tag: scan.tag,
            blockSize: max(
                last?.blockSize ?? FormatLimit.blockSizes.lowerBound,
                scan.blocks.map(\.size).max() ?? 0),
            revision: last?.revision ?? 1, time: 0, documentSize: 0, blockCount: 0,
            segmentOffset: 0, previousLive: nil, previous: nil, offset: 0, entryCount: 0,
            segmentChecksum: 0)
        // Only for its bytes, tag and block size.
        store = Store(bytes: bytes, footer: footer, segments: [], storedSize: bytes.size)
        loader = BlockLoader(codec: Codec.standard)
        var (number, blocks) = (0, scan.blocks[...])
        for footer in scan.counts where footer.blockCount <= bytes.size / StoreScan.leastMemberSize
        {
            let end = Int(footer.blockCount)
            guard end > number, footer.documentSize >= documentSize else { continue }
            let ofCommit = blocks.prefix { $0.number < end }
            blocks = blocks.dropFirst(ofCommit.count)
            add(ofCommit, numbers: number..<end, byteCount: footer.documentSize - documentSize)
            number = end
        }
        let end = blocks.last.map { $0.number + 1 } ?? number
        add(blocks, numbers: number..<end, byteCount: nil)
        if scan.footers.isEmpty || end > number {
            let cause = QuireError(
                .truncated, "no footer says how the document goes on", fileOffset: bytes.size)
            pieces.append(
                .hole(
                    Hole(
                        offset: documentSize, size: 0, isSizeCertain: false, blockCount: 0,
                        cause: cause)))
        }
        try check(progress)
    }

    /// Lays out what is known of a commit's blocks, with holes for the others.
    ///
    /// - Parameter byteCount: of the document, if a footer says it.
    private mutating func add(
        _ blocks: ArraySlice<BlockLocation>, numbers: Range<Int>, byteCount: UInt64?
    ) {
        let blockSize = UInt64(store.footer.blockSize)
        let known = blocks.reduce(0) { $0 + UInt64($1.size) }
        var lostCount = UInt64(numbers.count - blocks.count)
        var lost = byteCount.flatMap { $0 >= known ? $0 - known : nil } ?? 0
        // Nothing says it, or what says it cannot be true: they are taken for full ones.
        let isSaid = (lostCount...lostCount * blockSize).contains(lost) && byteCount != nil
        if !isSaid { lost = lostCount * blockSize }
        let isAnyFull = lost == lostCount * blockSize
        let isOneHole = blocks.isEmpty || lostCount == Self.greatestGap(blocks, numbers)
        var (number, fileOffset) = (numbers.lowerBound, storedEnd)
        for (next, block) in blocks.map({ ($0.number, $0) }) + [(numbers.upperBound, nil)] {
            if next > number {
                let count = UInt64(next - number)
                lostCount -= count
                // The last lost blocks have what the others leave.
                let size = lostCount == 0 ? lost : min(count * blockSize, lost - lostCount)
                lost -= size
                let cause = QuireError(
                    .damagedBlock, "no whole member of it is left", fileOffset: fileOffset,
                    blockNumber: number)
                append(
                    .hole(
                        Hole(
                            offset: documentSize, size: size,
                            isSizeCertain: isSaid && (isAnyFull || isOneHole),
                            blockCount: Int(count), cause: cause)), size: size)
            }
            guard var block else { break }
            block.offset = documentSize
            append(.block(block), size: UInt64(block.size))
            (number, fileOffset) = (block.number + 1, block.memberEnd)
        }
        storedEnd = fileOffset
    }

    /// How many numbers the longest run of those that are missing has.
    private static func greatestGap(_ blocks: ArraySlice<BlockLocation>, _ numbers: Range<Int>)
        -> UInt64
    {
        let bounds = [numbers.lowerBound - 1] + blocks.map(\.number) + [numbers.upperBound]
        return zip(bounds, bounds.dropFirst()).map { UInt64($1 - $0 - 1) }.max() ?? 0
    }

    private mutating func append(_ piece: Piece, size: UInt64) {
        pieces.append(piece)
        documentSize += size
    }

    /// Makes holes of the blocks that are damaged.
    private mutating func check(_ progress: (UInt64) throws -> Void) throws {
        for index in pieces.indices {
            guard case .block(let block) = pieces[index] else { continue }
            do { try loader.check(block, of: store) } catch let error as QuireError
                where error.blockNumber != nil
            {
                pieces[index] = .hole(
                    Hole(
                        offset: block.offset, size: UInt64(block.size), blockCount: 1, cause: error)
                )
            }
            try progress(block.end)
        }
    }

    /// Writes a new store of the document with zeros in its holes; whole blocks are taken over as they are. Finishes the sink.
    ///
    /// - Parameter progress: called with the bytes of the document written so far; what it throws stops it.
    package func write(
        to upstream: any DataSink, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        let writer = StoreWriter(
            uuid: store.footer.uuid, revision: try StoreWriter.revision(after: store),
            blockSize: store.footer.blockSize)
        let sink = CompressedDataSink(
            writer: writer, upstream: upstream, isWholeStore: true, options: [], owner: nil,
            base: nil, configuration: .init())
        for piece in pieces {
            switch piece {
            case .block(let block):
                try sink.copy(block, of: store, through: loader)
                try progress(block.end)
            case .hole(let hole):
                var rest = hole.size
                while rest > 0 {
                    let count = min(rest, 1 << 20)
                    try sink.put(Data(count: Int(count)))
                    rest -= count
                    try progress(hole.offset + hole.size - rest)
                }
            }
        }
        try sink.close()
    }
}

extension BlockLocation {
    fileprivate var memberEnd: UInt64 { fileOffset + UInt64(memberSize) }
}
