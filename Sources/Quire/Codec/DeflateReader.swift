#if Libdeflate
    /// Takes a deflate stream that libdeflate made apart.
    ///
    /// It is for the writer alone: the stream is sound, and what is made of it is checked against the block.
    struct DeflateReader {
        /// The tokens of all deflate blocks; bytes in stored ones are literals.
        private(set) var tokens: [DeflateToken] = []
        /// Where the deflate blocks end among the tokens.
        private(set) var blockEnds: [Int] = []
        /// The bit of the last block's header.
        private(set) var lastHeader = 0
        /// The bit behind the last block.
        var end: Int { 8 * position - bitCount }

        private let bytes: [UInt8]
        private var position = 0
        private var bits: UInt64 = 0
        private var bitCount = 0

        /// - Throws: `invalidArgument` if the stream is not sound.
        init(_ deflated: RawSpan) throws {
            bytes = [UInt8](deflated)
            tokens.reserveCapacity(bytes.count)
            var isLast = false
            while !isLast {
                lastHeader = end
                isLast = take(1) == 1
                switch take(2) {
                case 0: readStored()
                case 1: try readBlock(.fixedLiterals, .fixedDistances)
                case 2:
                    let (literals, distances) = try readCodes()
                    try readBlock(literals, distances)
                default: throw Self.unsound
                }
                guard end <= 8 * bytes.count else { throw Self.unsound }
                blockEnds.append(tokens.count)
            }
        }

        private static var unsound: QuireError {
            QuireError(.invalidArgument, "libdeflate made a stream that is not sound")
        }

        /// Has at least 48 bits ready; behind the end they are 0.
        private mutating func refill() {
            while bitCount <= 56 {
                if position < bytes.count { bits |= UInt64(bytes[position]) << UInt64(bitCount) }
                position += 1
                bitCount += 8
            }
        }

        private mutating func take(_ count: Int) -> Int {
            refill()
            return takeReady(count)
        }

        private mutating func takeReady(_ count: Int) -> Int {
            defer { (bits, bitCount) = (bits >> UInt64(count), bitCount - count) }
            return Int(bits & (1 << UInt64(count) - 1))
        }

        private mutating func readStored() {
            _ = take(bitCount % 8)
            let count = take(16)
            _ = take(16)
            position = end / 8 + count
            (bits, bitCount) = (0, 0)
            tokens += Array(repeating: DeflateToken(length: 1, distance: 0), count: count)
        }

        private mutating func readCodes() throws -> (HuffmanCode, HuffmanCode) {
            let literalCount = take(5) + 257
            let distanceCount = take(5) + 1
            var lengths = [UInt8](repeating: 0, count: 19)
            let count = take(4) + 4
            for symbol in DeflateWriter.lengthOrder.prefix(count) {
                lengths[symbol] = UInt8(take(3))
            }
            let code = HuffmanCode(lengths: lengths).decodingTable
            lengths = []
            while lengths.count < literalCount + distanceCount {
                let symbol = try next(code)
                switch symbol {
                case 16:
                    guard let last = lengths.last else { throw Self.unsound }
                    lengths += Array(repeating: last, count: 3 + take(2))
                case 17: lengths += Array(repeating: 0, count: 3 + take(3))
                case 18: lengths += Array(repeating: 0, count: 11 + take(7))
                default: lengths.append(UInt8(symbol))
                }
            }
            guard lengths.count == literalCount + distanceCount else { throw Self.unsound }
            return (
                HuffmanCode(lengths: Array(lengths[..<literalCount])),
                HuffmanCode(lengths: Array(lengths[literalCount...]))
            )
        }

        /// The next symbol of a code.
        private mutating func next(_ table: (entries: [UInt16], bitCount: Int)) throws -> Int {
            refill()
            let entry = table.entries[Int(bits & (1 << UInt64(table.bitCount) - 1))]
            guard entry & 15 > 0, position <= bytes.count + 16 else { throw Self.unsound }
            _ = takeReady(Int(entry & 15))
            return Int(entry >> 4)
        }

        private mutating func readBlock(_ literals: HuffmanCode, _ distances: HuffmanCode) throws {
            let (literals, distances) = (literals.decodingTable, distances.decodingTable)
            while true {
                let symbol = try next(literals)
                if symbol == 256 { return }
                guard symbol > 256 else {
                    tokens.append(DeflateToken(length: 1, distance: 0))
                    continue
                }
                guard symbol < 286 else { throw Self.unsound }
                let length = DeflateToken.length(ofSymbol: symbol)
                let count = length.base + takeReady(length.bitCount)
                let distanceSymbol = try next(distances)
                guard distanceSymbol < 30 else { throw Self.unsound }
                let distance = DeflateToken.distance(ofSymbol: distanceSymbol)
                let reach = distance.base + takeReady(distance.bitCount)
                tokens.append(DeflateToken(length: UInt16(count), distance: UInt16(reach)))
            }
        }
    }
#endif
