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

/// The blocks of one live segment, 24 bytes each, and which of the stored ones were checked.
///
/// Segments are shared between the revisions of a store: an append adds one and leaves the others.
final class Segment: Sendable {
    /// The footer behind the segment on disk.
    let footer: Footer
    /// The number of its first block.
    let firstBlock: Int
    /// Document offsets of the blocks, and of the end.
    private let offsets: [UInt64]
    private let fileOffsets: [UInt64]
    private let memberSizes: [UInt32]  // bit 31: stored
    private let checksums: [UInt32]
    private let checked: AtomicBits
    /// The stored runs of blocks that were inflated once.
    private let storedRuns = Mutex<[Int: StoredRuns]>([:])

    private static let storedBit: UInt32 = 1 << 31

    var blockCount: Int { fileOffsets.count }
    var offset: UInt64 { offsets[0] }
    var end: UInt64 { offsets[blockCount] }

    /// Lays entries out from a place on: their offsets are sums, so they cannot overlap.
    ///
    /// - Throws: a fault if they do not end where the footer says.
    init(
        entries: some Sequence<IndexEntry>, footer: Footer, firstBlock: Int, offset: UInt64,
        fileOffset: UInt64
    ) throws(MemberFault) {
        var (position, filePosition, wasGap) = (offset, fileOffset, false)
        var offsets = [offset]
        var fileOffsets: [UInt64] = []
        var memberSizes: [UInt32] = []
        var checksums: [UInt32] = []
        offsets.reserveCapacity(entries.underestimatedCount + 1)
        fileOffsets.reserveCapacity(entries.underestimatedCount)
        memberSizes.reserveCapacity(entries.underestimatedCount)
        checksums.reserveCapacity(entries.underestimatedCount)
        for entry in entries {
            try entry.check(blockSize: footer.blockSize)
            guard UInt64(entry.size) <= footer.segmentOffset - filePosition else {
                throw MemberFault("the index runs past its own place")
            }
            guard !(wasGap && entry.isGap) else { throw MemberFault("two gaps follow each other") }
            guard !(filePosition == 0 && entry.isGap) else {
                throw MemberFault("the store begins with a gap")
            }
            if !entry.isGap {
                fileOffsets.append(filePosition)
                memberSizes.append(UInt32(entry.size) | (entry.isStored ? Self.storedBit : 0))
                checksums.append(entry.checksum)
                position += UInt64(entry.length)
                offsets.append(position)
            }
            filePosition += UInt64(entry.size)
            wasGap = entry.isGap
        }
        guard filePosition == footer.segmentOffset, position == footer.documentSize,
            UInt64(firstBlock + fileOffsets.count) == footer.blockCount
        else { throw MemberFault("the index does not add up to what its footer says") }
        self.footer = footer
        self.firstBlock = firstBlock
        self.offsets = offsets
        self.fileOffsets = fileOffsets
        self.memberSizes = memberSizes
        self.checksums = checksums
        checked = AtomicBits(count: fileOffsets.count)
    }

    /// The block with this place in the segment.
    subscript(index: Int) -> BlockLocation {
        BlockLocation(
            number: firstBlock + index, offset: offsets[index],
            size: Int(offsets[index + 1] - offsets[index]), fileOffset: fileOffsets[index],
            memberSize: Int(memberSizes[index] & ~Self.storedBit),
            isStored: memberSizes[index] & Self.storedBit != 0, checksum: checksums[index])
    }

    /// The place of the block that holds `offset`, which lies in the segment. O(1) where blocks are full.
    func index(at offset: UInt64) -> Int {
        let guess = Int((offset - self.offset) / UInt64(footer.blockSize))
        if guess < blockCount, offsets[guess] <= offset, offset < offsets[guess + 1] {
            return guess
        }
        var (low, high) = (0, blockCount)
        while high - low > 1 {
            let middle = (low + high) / 2
            if offsets[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// The stored runs of a deflated block, once it has been inflated and checked.
    func storedRuns(of index: Int) -> StoredRuns? { storedRuns.withLock { $0[index] } }

    func setStoredRuns(_ runs: StoredRuns, of index: Int) {
        storedRuns.withLock { $0[index] = runs }
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
