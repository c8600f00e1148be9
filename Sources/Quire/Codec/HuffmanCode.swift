#if Libdeflate
    /// A Huffman code as RFC 1951, 3.2.2, has it: the lengths say it all.
    struct HuffmanCode {
        /// Bits of each symbol's code; 0 if it has none.
        private(set) var lengths: [UInt8]

        init(lengths: [UInt8]) { self.lengths = lengths }

        /// The best code for these frequencies, but for what the limit costs. It has two symbols at least, as some readers want.
        ///
        /// - Parameter limit: bits of the longest code, enough for the number of symbols.
        init(frequencies: [UInt32], limit: Int) {
            lengths = Array(repeating: 0, count: frequencies.count)
            var used = frequencies.indices.filter { frequencies[$0] > 0 }
            for symbol in 0..<2 where used.count < 2 && !used.contains(symbol) {
                used.append(symbol)
            }
            used.sort { (frequencies[$0], $0) < (frequencies[$1], $1) }
            var counts = Self.depths(used.map { UInt64(frequencies[$0]) })
            Self.limit(&counts, to: limit)
            var length = counts.count - 1
            for symbol in used {
                while counts[length] == 0 { length -= 1 }
                counts[length] -= 1
                lengths[symbol] = UInt8(length)
            }
        }

        /// How many leaves of a Huffman tree lie at each depth.
        ///
        /// - Parameter weights: of the leaves, rising, two at least.
        private static func depths(_ weights: [UInt64]) -> [Int] {
            let count = weights.count
            // Inner nodes come into being in rising order of weight, so two queues do.
            var inner: [UInt64] = []
            var parents = [Int](repeating: 0, count: 2 * count - 1)
            var (leaf, node) = (0, 0)
            for parent in count..<2 * count - 1 {
                var sum: UInt64 = 0
                for _ in 0..<2 {
                    if leaf < count, node >= inner.count || weights[leaf] <= inner[node] {
                        sum += weights[leaf]
                        parents[leaf] = parent
                        leaf += 1
                    } else {
                        sum += inner[node]
                        parents[count + node] = parent
                        node += 1
                    }
                }
                inner.append(sum)
            }
            var depths = [Int](repeating: 0, count: 2 * count - 1)
            var counts = [Int](repeating: 0, count: count + 1)
            for index in (0..<2 * count - 2).reversed() {
                depths[index] = depths[parents[index]] + 1
                if index < count { counts[depths[index]] += 1 }
            }
            return counts
        }

        /// Moves the leaves that are deeper than `limit` up, and others down to make room.
        private static func limit(_ counts: inout [Int], to limit: Int) {
            guard counts.count > limit + 1 else { return }
            counts[limit] += counts[(limit + 1)...].reduce(0, +)
            counts.removeSubrange((limit + 1)...)
            var total = 0
            for length in 1...limit { total += counts[length] << (limit - length) }
            while total > 1 << limit {
                // One leaf goes from the lowest level beside another, which makes room a level higher.
                counts[limit] -= 1
                if let length = (1..<limit).last(where: { counts[$0] > 0 }) {
                    counts[length] -= 1
                    counts[length + 1] += 2
                }
                total -= 1
            }
        }

        /// The codes in the order in which their bits are written, the first bit lowest.
        var reversedCodes: [UInt16] {
            var next = [UInt16](repeating: 0, count: 17)
            for length in lengths where length > 0 { next[Int(length) + 1] += 1 }
            for length in 1..<17 { next[length] = (next[length - 1] &+ next[length]) << 1 }
            return lengths.map { length in
                guard length > 0 else { return 0 }
                defer { next[Int(length)] += 1 }
                return Self.reversed(next[Int(length)], bitCount: Int(length))
            }
        }

        /// The lowest bits of `value`, the first of them last.
        private static func reversed(_ value: UInt16, bitCount: Int) -> UInt16 {
            var (value, result) = (value, UInt16(0))
            for _ in 0..<bitCount {
                result = result << 1 | value & 1
                value >>= 1
            }
            return result
        }

        /// Symbol << 4 | length for each value of the next bits.
        ///
        /// - Returns: the table, and how many bits it wants.
        var decodingTable: (entries: [UInt16], bitCount: Int) {
            let bitCount = Int(lengths.max() ?? 0)
            var entries = [UInt16](repeating: 0, count: 1 << bitCount)
            for (symbol, code) in reversedCodes.enumerated() where lengths[symbol] > 0 {
                let entry = UInt16(symbol) << 4 | UInt16(lengths[symbol])
                for index in stride(
                    from: Int(code), to: entries.count, by: 1 << Int(lengths[symbol]))
                { entries[index] = entry }
            }
            return (entries, bitCount)
        }

        /// The code for literals and lengths of RFC 1951, 3.2.6.
        static let fixedLiterals = HuffmanCode(
            lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
        static let fixedDistances = HuffmanCode(lengths: Array(repeating: 5, count: 30))
    }
#endif
