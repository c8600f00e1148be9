#if Libdeflate
    extension HybridDeflate {
        /// The tokens of a block's deflated runs.
        struct Parse {
            /// Of one run.
            struct Piece {
                var start = 0
                var tokens: [DeflateToken] = []
                /// The deflate blocks that the tokens go to.
                var plans: [DeflateWriter.Plan] = []
            }

            /// One for each run, empty for the stored ones.
            private(set) var pieces: [Piece] = []

            /// Cuts the tokens of a stream of the whole block at the edges of its runs.
            init(_ reader: DeflateReader, of block: [UInt8], runs: [Run]) {
                pieces = Array(repeating: Piece(), count: runs.count)
                var (run, runStart, position, planStart, blockIndex) = (0, 0, 0, 0, 0)
                // Ends a deflate block in front of `position`.
                func plan() {
                    let tokens = pieces[run].tokens
                    let planned = pieces[run].plans.reduce(0) { $0 + $1.tokenCount }
                    guard planned < tokens.count else { return }
                    pieces[run].plans.append(
                        .init(tokens[planned...], of: block[planStart..<position]))
                }
                for (index, token) in reader.tokens.enumerated() {
                    let end = position + Int(token.length)
                    while position < end {
                        let runEnd = runStart + runs[run].byteCount
                        let range = position..<min(end, runEnd)
                        if !runs[run].isStored {
                            if Self.isMatch(range, distance: Int(token.distance), in: block) {
                                pieces[run].tokens.append(
                                    DeflateToken(
                                        length: UInt16(range.count), distance: token.distance))
                            } else {
                                for _ in range { pieces[run].tokens.append(.literal) }
                            }
                        }
                        position = range.upperBound
                        if position == runEnd {
                            plan()
                            (run, runStart, planStart) = (run + 1, runEnd, position)
                            if run < runs.count { pieces[run].start = runEnd }
                        }
                    }
                    while blockIndex < reader.blockEnds.count,
                        index + 1 == reader.blockEnds[blockIndex]
                    {
                        if run < runs.count {
                            plan()
                            planStart = position
                        }
                        blockIndex += 1
                    }
                }
                for index in pieces.indices {
                    pieces[index].plans = Self.merged(pieces[index].plans)
                }
            }

            private static func isMatch(
                _ range: Range<Int>, distance: Int, in block: [UInt8]
            ) -> Bool {
                guard range.count >= 3, distance > 0, distance <= range.lowerBound else {
                    return false
                }
                return range.allSatisfy { block[$0] == block[$0 - distance] }
            }

            /// Neighbours as one where that is not larger.
            private static func merged(_ plans: [DeflateWriter.Plan]) -> [DeflateWriter.Plan] {
                plans.reduce(into: []) { merged, plan in
                    if let last = merged.last {
                        let both = last.merged(with: plan)
                        if both.bitCount <= last.bitCount + plan.bitCount {
                            merged[merged.count - 1] = both
                            return
                        }
                    }
                    merged.append(plan)
                }
            }

            /// Goes the cheapest way, under the codes of each deflate block, through the matches of this and another parse.
            mutating func improve(with other: Parse, of block: [UInt8]) {
                for index in pieces.indices where !pieces[index].tokens.isEmpty {
                    var piece = pieces[index]
                    let matches = [piece.matches, other.pieces[index].matches]
                    var (tokens, plans): ([DeflateToken], [DeflateWriter.Plan]) = ([], [])
                    var (start, tokenStart) = (piece.start, 0)
                    for plan in piece.plans {
                        var best = piece.tokens[tokenStart..<tokenStart + plan.tokenCount]
                        tokenStart += plan.tokenCount
                        let end = start + best.reduce(0) { $0 + Int($1.length) }
                        var bestPlan = plan
                        let first = start - piece.start
                        for codes in [plan, nil] {
                            var codes = codes
                            for _ in 0..<3 {
                                let path = Self.cheapest(
                                    block[start..<end], matches: matches, from: first,
                                    codes: codes)[...]
                                let plan = DeflateWriter.Plan(path, of: block[start..<end])
                                codes = plan
                                guard plan.bitCount < bestPlan.bitCount else { break }
                                (best, bestPlan) = (path, plan)
                            }
                        }
                        tokens += best
                        plans.append(bestPlan)
                        start = end
                    }
                    piece.tokens = tokens
                    piece.plans = Self.merged(plans)
                    pieces[index] = piece
                }
            }

            /// The cheapest tokens for `text`.
            ///
            /// - Parameters:
            ///   - matches: each parse's longest match at each byte of the run.
            ///   - first: where the text begins in the run.
            ///   - codes: nil for the fixed ones.
            private static func cheapest(
                _ text: ArraySlice<UInt8>, matches: [[DeflateToken]], from first: Int,
                codes: DeflateWriter.Plan?
            ) -> [DeflateToken] {
                let literals = codes?.literals ?? .fixedLiterals
                let distances = codes?.distances ?? .fixedDistances
                // What has no code yet would get a long one.
                func bits(_ code: HuffmanCode, _ symbol: Int, else other: Int) -> Int {
                    let length = symbol < code.lengths.count ? Int(code.lengths[symbol]) : 0
                    return length > 0 ? length : other
                }
                let lengthBits = (0...258).map { length in
                    guard length >= 3 else { return 0 }
                    let symbol = DeflateToken(length: UInt16(length), distance: 1).lengthSymbol
                    return bits(literals, symbol.symbol, else: 12) + symbol.bitCount
                }
                let literalBits = (0..<256).map { bits(literals, $0, else: 12) }
                let count = text.count
                // From the back: the bits from each byte on, and the token there.
                var costs = [Int](repeating: 0, count: count + 1)
                var tokens = [DeflateToken](repeating: .literal, count: count)
                for position in (0..<count).reversed() {
                    var cost =
                        literalBits[Int(text[text.startIndex + position])] + costs[position + 1]
                    for parse in matches {
                        let match = parse[first + position]
                        let longest = min(Int(match.length), count - position)
                        guard match.distance > 0, longest >= 3 else { continue }
                        let symbol = match.distanceSymbol
                        let base = bits(distances, symbol.symbol, else: 8) + symbol.bitCount
                        for length in 3...longest {
                            let other = base + lengthBits[length] + costs[position + length]
                            if other < cost {
                                cost = other
                                tokens[position] = DeflateToken(
                                    length: UInt16(length), distance: match.distance)
                            }
                        }
                    }
                    costs[position] = cost
                }
                var (path, position): ([DeflateToken], Int) = ([], 0)
                while position < count {
                    path.append(tokens[position])
                    position += Int(tokens[position].length)
                }
                return path
            }
        }
    }

    extension HybridDeflate.Parse.Piece {
        /// The longest match at each byte: the one that begins there, or the rest of one.
        fileprivate var matches: [DeflateToken] {
            tokens.flatMap { token in
                (0..<token.length).map {
                    DeflateToken(length: token.length - $0, distance: token.distance)
                }
            }
        }
    }
#endif
