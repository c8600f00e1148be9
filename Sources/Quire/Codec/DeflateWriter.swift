#if Libdeflate
    /// Writes deflate blocks of tokens, and stored ones, with the cheaper of the fixed code and one of their own for each.
    struct DeflateWriter {
        /// The order of the lengths of the code for lengths (RFC 1951, 3.2.7).
        static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

        private(set) var bytes: [UInt8] = []
        private var bits: UInt64 = 0
        private var bitCount = 0
        /// The bit of the last deflate block's BFINAL.
        private var lastHeader = 0

        private mutating func put(_ value: some BinaryInteger, _ count: Int) {
            bits |= UInt64(value) << UInt64(bitCount)
            bitCount += count
            while bitCount >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                (bits, bitCount) = (bits >> 8, bitCount - 8)
            }
        }

        private mutating func align() { if bitCount > 0 { put(0, 8 - bitCount) } }

        private mutating func beginBlock(type: Int) {
            lastHeader = 8 * bytes.count + bitCount
            put(type << 1, 3)
        }

        /// Stored deflate blocks.
        mutating func append(storing part: RawSpan) {
            for piece in StoredBlock.pieces(of: 0..<part.byteCount) {
                beginBlock(type: 0)
                align()
                bytes.append(littleEndian: UInt16(piece.count))
                bytes.append(littleEndian: ~UInt16(piece.count))
                bytes += [UInt8](part.extracting(piece))
            }
        }

        /// The blocks of a whole stream; what is there ends with a whole byte, as behind a stored block.
        mutating func append(_ stream: RawSpan, _ reader: DeflateReader) {
            precondition(bitCount == 0, "a whole stream has to begin at a whole byte")
            lastHeader = 8 * bytes.count + reader.lastHeader
            bytes += [UInt8](stream)
            bytes[lastHeader / 8] &= ~(1 << UInt8(lastHeader % 8))
            if reader.end % 8 > 0 {
                bitCount = reader.end % 8
                bits = UInt64(bytes.removeLast())
            }
        }

        /// Makes the last deflate block the last of the stream.
        mutating func finish() {
            align()
            bytes[lastHeader / 8] |= 1 << UInt8(lastHeader % 8)
        }

        /// Deflate blocks of tokens.
        ///
        /// - Parameters:
        ///   - text: the bytes that the tokens stand for.
        ///   - plans: how they are divided into blocks.
        mutating func append(
            _ tokens: ArraySlice<DeflateToken>, of text: ArraySlice<UInt8>, plans: [Plan]
        ) {
            var (start, position) = (tokens.startIndex, text.startIndex)
            for plan in plans {
                beginBlock(type: plan.isFixed ? 1 : 2)
                if !plan.isFixed {
                    put(plan.literals.lengths.count - 257, 5)
                    put(plan.distances.lengths.count - 1, 5)
                    put(plan.lengthOrderCount - 4, 4)
                    for symbol in Self.lengthOrder.prefix(plan.lengthOrderCount) {
                        put(plan.lengthCode.lengths[symbol], 3)
                    }
                    let codes = plan.lengthCode.reversedCodes
                    for item in plan.items {
                        let symbol = Int(item.symbol)
                        put(codes[symbol], Int(plan.lengthCode.lengths[symbol]))
                        put(item.extra, Plan.extraBits(of: symbol))
                    }
                }
                let (literals, distances) = (plan.literals.lengths, plan.distances.lengths)
                let literalCodes = plan.literals.reversedCodes
                let distanceCodes = plan.distances.reversedCodes
                for token in tokens[start..<start + plan.tokenCount] {
                    if token.distance == 0 {
                        let symbol = Int(text[position])
                        put(literalCodes[symbol], Int(literals[symbol]))
                    } else {
                        let length = token.lengthSymbol
                        put(literalCodes[length.symbol], Int(literals[length.symbol]))
                        put(length.extra, length.bitCount)
                        let distance = token.distanceSymbol
                        put(distanceCodes[distance.symbol], Int(distances[distance.symbol]))
                        put(distance.extra, distance.bitCount)
                    }
                    position += Int(token.length)
                }
                put(literalCodes[256], Int(literals[256]))
                start += plan.tokenCount
            }
        }

        /// One deflate block to come: its codes and its size.
        struct Plan {
            private(set) var tokenCount = 0
            private(set) var bitCount = 0
            private(set) var isFixed = true
            private(set) var literals = HuffmanCode.fixedLiterals
            private(set) var distances = HuffmanCode.fixedDistances
            private(set) var lengthCode = HuffmanCode(lengths: [])
            private(set) var lengthOrderCount = 0
            private(set) var items: [(symbol: UInt8, extra: UInt8)] = []

            private var literalCounts = [UInt32](repeating: 0, count: 286)
            private var distanceCounts = [UInt32](repeating: 0, count: 30)
            private var extraBits = 0

            /// - Parameter text: the bytes that the tokens stand for.
            init(_ tokens: ArraySlice<DeflateToken>, of text: ArraySlice<UInt8>) {
                tokenCount = tokens.count
                var position = text.startIndex
                for token in tokens {
                    if token.distance == 0 {
                        literalCounts[Int(text[position])] += 1
                    } else {
                        let (length, distance) = (token.lengthSymbol, token.distanceSymbol)
                        literalCounts[length.symbol] += 1
                        distanceCounts[distance.symbol] += 1
                        extraBits += length.bitCount + distance.bitCount
                    }
                    position += Int(token.length)
                }
                literalCounts[256] = 1
                chooseCodes()
            }

            /// Both blocks as one.
            func merged(with next: Plan) -> Plan {
                var plan = self
                plan.tokenCount += next.tokenCount
                plan.extraBits += next.extraBits
                for index in literalCounts.indices where index != 256 {
                    plan.literalCounts[index] += next.literalCounts[index]
                }
                for index in distanceCounts.indices {
                    plan.distanceCounts[index] += next.distanceCounts[index]
                }
                plan.chooseCodes()
                return plan
            }

            private mutating func chooseCodes() {
                (isFixed, literals, distances) = (true, .fixedLiterals, .fixedDistances)
                bitCount = 3 + extraBits + symbolBits
                let fixed = self
                literals = HuffmanCode(
                    lengths: Self.trimmed(
                        HuffmanCode(frequencies: literalCounts, limit: 15).lengths, to: 257))
                distances = HuffmanCode(
                    lengths: Self.trimmed(
                        HuffmanCode(frequencies: distanceCounts, limit: 15).lengths, to: 1))
                isFixed = false
                items = Self.items(literals.lengths + distances.lengths)
                var counts = [UInt32](repeating: 0, count: 19)
                for item in items { counts[Int(item.symbol)] += 1 }
                lengthCode = HuffmanCode(frequencies: counts, limit: 7)
                lengthOrderCount = lengthOrder.count
                while lengthCode.lengths[lengthOrder[lengthOrderCount - 1]] == 0 {
                    lengthOrderCount -= 1
                }
                bitCount = 3 + 14 + 3 * lengthOrderCount + extraBits + symbolBits
                for symbol in 0..<19 {
                    let bits = Int(lengthCode.lengths[symbol]) + Self.extraBits(of: symbol)
                    bitCount += Int(counts[symbol]) * bits
                }
                if fixed.bitCount <= bitCount { self = fixed }
            }

            private var symbolBits: Int {
                var bits = 0
                for (count, length) in zip(literalCounts, literals.lengths) {
                    bits += Int(count) * Int(length)
                }
                for (count, length) in zip(distanceCounts, distances.lengths) {
                    bits += Int(count) * Int(length)
                }
                return bits
            }

            private static func trimmed(_ lengths: [UInt8], to least: Int) -> [UInt8] {
                let last = lengths.lastIndex { $0 > 0 } ?? 0
                return Array(lengths[..<max(last + 1, least)])
            }

            static func extraBits(of symbol: Int) -> Int {
                symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7
            }

            /// The lengths with their repetitions (RFC 1951, 3.2.7).
            private static func items(_ lengths: [UInt8]) -> [(symbol: UInt8, extra: UInt8)] {
                var items: [(symbol: UInt8, extra: UInt8)] = []
                var start = 0
                while start < lengths.count {
                    let length = lengths[start]
                    var count = 1
                    while start + count < lengths.count, lengths[start + count] == length {
                        count += 1
                    }
                    start += count
                    if length > 0 {
                        items.append((length, 0))
                        count -= 1
                    }
                    while count >= 3 {
                        let most = length > 0 ? 6 : 138
                        let step = min(count, most)
                        if length > 0 {
                            items.append((16, UInt8(step - 3)))
                        } else if step <= 10 {
                            items.append((17, UInt8(step - 3)))
                        } else {
                            items.append((18, UInt8(step - 11)))
                        }
                        count -= step
                    }
                    for _ in 0..<count { items.append((length, 0)) }
                }
                return items
            }
        }
    }
#endif
