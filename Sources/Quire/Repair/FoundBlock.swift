/// A block that was found in the stored bytes, whose seal tells its number: if it is of this store, and if it is not damaged.
struct FoundBlock {
    var seal: UInt32
    var entry: IndexEntry
    var fileOffset: UInt64
    /// Whether there are members only between the block found before, or the start, and this one.
    var isBehindMember: Bool

    /// The tag of the blocks at the start, of which one may be damaged. Without these the first block found is taken for the second.
    ///
    /// - Parameter first: the seal of the header at the start, if there is one.
    static func tag(of found: [FoundBlock], firstMember first: UInt32?) -> UInt32 {
        let start = found.prefix { $0.isBehindMember }
        guard let one = start.first else { return first ?? found.first.map { $0.seal &- 1 } ?? 0 }
        var votes: [UInt32: Int] = [:]
        for (index, block) in start.enumerated() {
            votes[block.seal &- UInt32(truncatingIfNeeded: index), default: 0] += 1
        }
        let most = votes.max { $0.value < $1.value } ?? (one.seal, 0)
        return votes[one.seal] == most.value ? one.seal : most.key
    }

    /// The most blocks whose numbers rise: the others are of another store, there a second time, or their seal is damaged.
    ///
    /// - Parameter limit: how many blocks there can be, if it is said by the index of a found one.
    static func inOrder(
        _ found: [FoundBlock], tag: UInt32, limit: (Int) -> Int
    ) -> [BlockLocation] {
        let numbers = found.enumerated().map { index, block in
            // Seals are modulo 2^32: of the numbers that they may mean it is the one next to what has been counted.
            let ahead = block.seal &- tag &- UInt32(truncatingIfNeeded: index)
            return index + Int(Int32(bitPattern: ahead))
        }
        // Of two that claim one number it is the one that agrees more with those around it.
        var weights = Array(repeating: 4, count: found.count)
        for index in found.indices where found[index].isBehindMember {
            guard numbers[index] != (index > 0 ? numbers[index - 1] + 1 : 0) else { continue }
            weights[index] -= 1
            if index > 0 { weights[index - 1] -= 1 }
        }
        let possible = found.indices.filter { 0..<limit($0) ~= numbers[$0] }
        return heaviestRise(possible.map { (numbers[$0], weights[$0]) }).map {
            let (block, number) = (found[possible[$0]], numbers[possible[$0]])
            return BlockLocation(
                number: number, offset: 0, size: block.entry.length, fileOffset: block.fileOffset,
                memberSize: block.entry.size, isStored: block.entry.isStored,
                checksum: block.entry.checksum)
        }
    }

    /// The indices of the rising subsequence that weighs most. O(n log n).
    private static func heaviestRise(_ items: [(number: Int, weight: Int)]) -> [Int] {
        if zip(items, items.dropFirst()).allSatisfy({ $0.number < $1.number }) {
            return Array(items.indices)
        }
        let order = Set(items.map(\.number)).sorted()
        var ranks: [Int: Int] = [:]
        for (rank, number) in order.enumerated() { ranks[number] = rank + 1 }
        // A Fenwick tree: the best that ends with a number up to a rank.
        var best = Array(repeating: (weight: 0, index: -1), count: order.count + 1)
        var before = Array(repeating: -1, count: items.count)
        for (index, item) in items.enumerated() {
            guard let own = ranks[item.number] else { continue }
            var (sum, rank) = ((weight: 0, index: -1), own - 1)
            while rank > 0 {
                if best[rank].weight > sum.weight { sum = best[rank] }
                rank &= rank - 1
            }
            before[index] = sum.index
            rank = own
            while rank <= order.count {
                if sum.weight + item.weight > best[rank].weight {
                    best[rank] = (sum.weight + item.weight, index)
                }
                rank += rank & -rank
            }
        }
        var (rise, last) = ([Int](), (weight: 0, index: -1))
        var rank = order.count
        while rank > 0 {
            if best[rank].weight > last.weight { last = best[rank] }
            rank &= rank - 1
        }
        while last.index >= 0 {
            rise.append(last.index)
            last.index = before[last.index]
        }
        return rise.reversed()
    }
}
