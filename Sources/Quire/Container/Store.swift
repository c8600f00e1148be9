import Foundation
import Synchronization

/// One revision of a store, open for reading: the stored bytes as they were, and where each block lies.
final class Store: Sendable {
    /// The stored bytes; later commits do not change what they return up to `committedEnd`.
    let bytes: any DataProviding & Sendable
    let footer: Footer
    /// The live segments, oldest first. They tile the document.
    let segments: [Segment]
    /// Bytes stored, those behind the last footer included.
    let storedSize: UInt64
    /// Where the next append begins: behind the last footer, or in the place of one that is damaged.
    let committedEnd: UInt64
    /// Tells the blocks of one written store from those of another; appends keep it.
    let epoch: UInt64
    /// Why the index was made again from the members; nil if it was not.
    let rebuildCause: QuireError?
    /// Set once the index has been found wrong and could not be rebuilt.
    let isBeyondRebuilding = Atomic(false)

    init(
        bytes: any DataProviding & Sendable, footer: Footer, segments: [Segment],
        storedSize: UInt64, committedEnd: UInt64? = nil, rebuildCause: QuireError? = nil,
        epoch: UInt64? = nil
    ) {
        self.bytes = bytes
        self.footer = footer
        self.segments = segments
        self.storedSize = storedSize
        self.committedEnd = committedEnd ?? footer.end
        self.rebuildCause = rebuildCause
        self.epoch = epoch ?? Self.epochs.add(1, ordering: .relaxed).newValue
    }

    private static let epochs = Atomic<UInt64>(0)

    var size: UInt64 { footer.documentSize }
    var isRebuilt: Bool { rebuildCause != nil }
    /// Whether the footer is on disk, not made up for one that is damaged.
    var hasFooter: Bool { committedEnd == footer.end }
    var blockCount: Int { segments.last.map { $0.firstBlock + $0.blockCount } ?? 0 }

    /// Where a block is looked up: its segment, and its index in there.
    typealias Place = (segment: Segment, index: Int)

    /// The place of the block that holds `offset`.
    ///
    /// - Throws: `invalidArgument` at or past the end: there is no block there.
    @inline(__always) func find(_ offset: UInt64) throws -> Place {
        guard offset < size else { throw noBlock("at offset \(offset) of \(size)") }
        let segment = last { $0.offset <= offset }
        return (segment, segment.index(at: offset))
    }

    /// The place of the block with this number, 0...blockCount - 1.
    func place(ofBlock number: Int) throws -> Place {
        guard 0..<blockCount ~= number else { throw noBlock("\(number) of \(blockCount)") }
        let segment = last { $0.firstBlock <= number }
        return (segment, number - segment.firstBlock)
    }

    /// What the cache knows a block by.
    func key(of block: BlockLocation) -> BlockCache.Key {
        BlockCache.Key(epoch: epoch, fileOffset: block.fileOffset)
    }

    private func noBlock(_ which: String) -> QuireError {
        QuireError(.invalidArgument, "there is no block \(which)")
    }

    /// The last segment of those at the front that `isBefore`. It has blocks, if the place that is looked for is in one.
    @inline(__always) private func last(_ isBefore: (Segment) -> Bool) -> Segment {
        var (low, high) = (0, segments.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBefore(segments[middle]) { low = middle } else { high = middle }
        }
        return segments[low]
    }

    /// The footers of the commits since the store was last written anew, newest first, up to one that is damaged. One
    /// upstream read each.
    ///
    /// - Parameter revision: the oldest that is of interest.
    func history(downTo revision: UInt64 = 0) throws -> (footers: [Footer], damage: QuireError?) {
        var footers = [footer]
        var newer = footer
        while newer.revision > revision, let offset = newer.previous {
            let member = try bytes.readBytes(Footer.memberSize, at: offset)
            guard let older = try? Footer(member, at: offset), older.uuid == footer.uuid,
                older.revision < newer.revision, older.documentSize <= newer.documentSize
            else {
                let damage = QuireError(
                    .damagedFooter, "the footer of an earlier revision is damaged",
                    fileOffset: offset)
                return (footers, damage)
            }
            footers.append(older)
            newer = older
        }
        return (footers, nil)
    }

    /// The CRC of the entries of all blocks. O(blocks).
    var blocksChecksum: UInt32 {
        segments.reduce(0) {
            let encoded = IndexEntry.encoded($1.entries(from: 0))
            return IndexEntry.checksum(ofBlocksIn: encoded, seed: $0)
        }
    }

    func forEachBlock(_ body: (BlockLocation) throws -> Void) rethrows {
        for segment in segments {
            for index in 0..<segment.blockCount { try body(segment[index]) }
        }
    }
}
