import Foundation

/// What an index of the members so far holds.
struct PassedMembers {
    private(set) var documentSize: UInt64 = 0
    private(set) var blockCount: UInt64 = 0
    private(set) var greatestBlock = FormatLimit.blockSizes.lowerBound
    /// Of the entries of the blocks.
    private(set) var blocksChecksum: UInt32 = 0
    /// Where the last of them ends in the stored bytes, which they tile.
    private(set) var end: UInt64 = 0
    /// Gaps are not merged.
    private var members: [(fileOffset: UInt64, entry: IndexEntry)] = []

    mutating func append(_ entry: IndexEntry) {
        members.append((end, entry))
        end += UInt64(entry.size)
        guard !entry.isGap else { return }
        blocksChecksum = checksum(IndexEntry.encoded([entry]), seed: blocksChecksum)
        documentSize += UInt64(entry.length)
        blockCount += 1
        greatestBlock = max(greatestBlock, entry.length)
    }

    /// The entries of the members from `start` on, as an index has them.
    func entries(from start: UInt64) -> [IndexEntry] {
        var low = members.count
        while low > 0, members[low - 1].fileOffset >= start { low -= 1 }
        var merged: [IndexEntry] = []
        for (_, entry) in members[low...] {
            if entry.isGap, let last = merged.last, last.isGap {
                merged[merged.count - 1].size += entry.size
            } else {
                merged.append(entry)
            }
        }
        return merged
    }
}
