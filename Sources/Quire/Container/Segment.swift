import Foundation
import Synchronization

/// Where one block lies.
struct BlockLocation: Sendable {
    /// The number of the block in the document.
    var number: Int
    /// Where it begins in the document.
    var offset: UInt64
    /// Its bytes in the document.
    var size: Int
    var fileOffset: UInt64
    var memberSize: Int
    var isStored: Bool
    var checksum: UInt32

    var end: UInt64 { offset + UInt64(size) }
}

/// The blocks of one live segment, 20 bytes each, and which of the stored ones were checked.
///
/// Segments are shared between the revisions of a store: an append adds one and leaves the others.
final class Segment: Sendable {
    /// The footer behind the segment on disk.
    let footer: Footer
    /// The number of its first block.
    let firstBlock: Int
    /// Where runs of blocks begin in the document: so many that what they hold is less than 4 GiB.
    private let runOffsets: [UInt64]
    /// Where blocks begin in their runs; the last is the end.
    private let offsets: [UInt32]
    private let fileOffsets: [UInt64]
    private let memberSizes: [UInt32]  // bit 31: stored
    private let checksums: [UInt32]
    private let checked: AtomicBits
    /// The stored runs of blocks that were inflated once.
    private let storedRuns = Mutex<[Int: StoredRuns]>([:])

    private static let storedBit: UInt32 = 1 << 31
    private static let blocksOfRun = 4096
    /// Of so many blocks stored runs are kept: a GiB of a document, and some MiB of memory.
    private static let storedRunsLimit = 16_384

    var blockCount: Int { fileOffsets.count }
    var offset: UInt64 { offset(of: 0) }
    var end: UInt64 { offset(of: blockCount) }

    /// Lays entries out from a place on: their offsets are sums, so they cannot overlap.
    ///
    /// - Parameters:
    ///   - entryCount: as many entries as there are likely to be.
    ///   - nextEntries: gives encoded entries, a part at a time; nil behind the last.
    /// - Throws: a fault if they do not end where the footer says; what `nextEntries` throws.
    init(
        footer: Footer, firstBlock: Int, offset: UInt64, fileOffset: UInt64, entryCount: Int,
        nextEntries: () throws -> [UInt8]?
    ) throws {
        var (position, filePosition, wasGap) = (offset, fileOffset, false)
        var runOffsets = [offset]
        var offsets: [UInt32] = [0]
        var fileOffsets: [UInt64] = []
        var memberSizes: [UInt32] = []
        var checksums: [UInt32] = []
        offsets.reserveCapacity(entryCount + 1)
        fileOffsets.reserveCapacity(entryCount)
        memberSizes.reserveCapacity(entryCount)
        checksums.reserveCapacity(entryCount)
        while let entries = try nextEntries() {
            for start in stride(from: 0, to: entries.count, by: IndexEntry.encodedSize) {
                let entry = IndexEntry(entries, at: start)
                try entry.check(blockSize: footer.blockSize)
                guard UInt64(entry.size) <= footer.segmentOffset - filePosition else {
                    throw MemberFault("the index runs past its own place")
                }
                guard !(wasGap && entry.isGap) else {
                    throw MemberFault("two gaps follow each other")
                }
                guard !(filePosition == 0 && entry.isGap) else {
                    throw MemberFault("the store begins with a gap")
                }
                if !entry.isGap {
                    fileOffsets.append(filePosition)
                    memberSizes.append(
                        UInt32(entry.size) | (entry.isStored ? Self.storedBit : 0))
                    checksums.append(entry.checksum)
                    position += UInt64(entry.length)
                    if fileOffsets.count % Self.blocksOfRun == 0 { runOffsets.append(position) }
                    offsets.append(UInt32(position - runOffsets[runOffsets.count - 1]))
                }
                filePosition += UInt64(entry.size)
                wasGap = entry.isGap
            }
        }
        guard filePosition == footer.segmentOffset, position == footer.documentSize,
            UInt64(firstBlock + fileOffsets.count) == footer.blockCount
        else { throw MemberFault("the index does not add up to what its footer says") }
        self.footer = footer
        self.firstBlock = firstBlock
        self.runOffsets = runOffsets
        self.offsets = offsets
        self.fileOffsets = fileOffsets
        self.memberSizes = memberSizes
        self.checksums = checksums
        checked = AtomicBits(count: fileOffsets.count)
    }

    /// The same of entries in memory.
    convenience init(
        entries: [UInt8], footer: Footer, firstBlock: Int, offset: UInt64, fileOffset: UInt64
    ) throws {
        var rest: [UInt8]? = entries
        try self.init(
            footer: footer, firstBlock: firstBlock, offset: offset, fileOffset: fileOffset,
            entryCount: entries.count / IndexEntry.encodedSize
        ) {
            defer { rest = nil }
            return rest
        }
    }

    /// The block with this place in the segment.
    subscript(index: Int) -> BlockLocation {
        let offset = offset(of: index)
        return BlockLocation(
            number: firstBlock + index, offset: offset,
            size: Int(self.offset(of: index + 1) - offset), fileOffset: fileOffsets[index],
            memberSize: Int(memberSizes[index] & ~Self.storedBit),
            isStored: memberSizes[index] & Self.storedBit != 0, checksum: checksums[index])
    }

    /// Where a block begins in the document; behind the last the end.
    @inline(__always) private func offset(of index: Int) -> UInt64 {
        runOffsets[index / Self.blocksOfRun] + UInt64(offsets[index])
    }

    /// The place of the block that holds `offset`, which lies in the segment. O(1) where blocks are full.
    func index(at offset: UInt64) -> Int {
        let guess = Int((offset - self.offset) / UInt64(footer.blockSize))
        if guess < blockCount, self.offset(of: guess) <= offset,
            offset < self.offset(of: guess + 1)
        {
            return guess
        }
        var (low, high) = (0, blockCount)
        while high - low > 1 {
            let middle = (low + high) / 2
            if self.offset(of: middle) <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// The stored runs of a deflated block, once it has been inflated and checked.
    func storedRuns(of index: Int) -> StoredRuns? { storedRuns.withLock { $0[index] } }

    func setStoredRuns(_ runs: StoredRuns, of index: Int) {
        guard !runs.isEmpty else { return }
        storedRuns.withLock {
            if $0.count >= Self.storedRunsLimit { $0.removeAll(keepingCapacity: true) }
            $0[index] = runs
        }
    }

    func isChecked(_ index: Int) -> Bool { checked[index] }

    func setChecked(_ index: Int) { checked.set(index) }

    /// The entries that tile the stored bytes from `fileOffset` on up to the last block.
    func entries(from fileOffset: UInt64) -> [IndexEntry] {
        var position = fileOffset
        var entries: [IndexEntry] = []
        for index in 0..<blockCount {
            let block = self[index]
            if block.fileOffset > position {
                entries.append(.gap(Int(block.fileOffset - position)))
            }
            entries.append(
                IndexEntry(
                    size: block.memberSize, length: block.size, isStored: block.isStored,
                    checksum: block.checksum))
            position = block.fileOffset + UInt64(block.memberSize)
        }
        return entries
    }
}

/// Bits that are set once and never cleared, by any thread.
@safe private final class AtomicBits: @unchecked Sendable {
    // SAFETY: allocated for `words.count` words, which are initialized here and live as long as this object.
    private let words: UnsafeMutableBufferPointer<Atomic<UInt64>>

    init(count: Int) {
        unsafe words = .allocate(capacity: (count + 63) / 64)
        for index in unsafe words.indices {
            unsafe words.initializeElement(at: index, to: Atomic(0))
        }
    }

    deinit {
        unsafe words.deinitialize()
        unsafe words.deallocate()
    }

    /// Acquires what the thread that set the bit had done.
    subscript(index: Int) -> Bool {
        precondition(unsafe words.indices.contains(index / 64))
        return unsafe words[index / 64].load(ordering: .acquiring) & (1 << UInt64(index % 64)) != 0
    }

    func set(_ index: Int) {
        precondition(unsafe words.indices.contains(index / 64))
        unsafe words[index / 64].bitwiseOr(1 << UInt64(index % 64), ordering: .releasing)
    }
}
