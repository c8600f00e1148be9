#if Libdeflate
    /// A literal, whose length is 1 and its distance 0, or a match.
    struct DeflateToken {
        var length: UInt16
        var distance: UInt16

        static let literal = DeflateToken(length: 1, distance: 0)

        /// The symbol of a match's length, with the extra bits and their number (RFC 1951, 3.2.5).
        var lengthSymbol: (symbol: Int, extra: UInt16, bitCount: Int) {
            if length == 258 { return (285, 0, 0) }
            let rest = length - 3
            if rest < 8 { return (257 + Int(rest), 0, 0) }
            let bitCount = 13 - rest.leadingZeroBitCount
            let extra = rest & (1 << UInt16(bitCount) - 1)
            return (257 + 4 * bitCount + Int(rest >> UInt16(bitCount)), extra, bitCount)
        }

        /// The symbol of a match's distance.
        var distanceSymbol: (symbol: Int, extra: UInt16, bitCount: Int) {
            let rest = distance - 1
            if rest < 4 { return (Int(rest), 0, 0) }
            let bitCount = 14 - rest.leadingZeroBitCount
            let extra = rest & (1 << UInt16(bitCount) - 1)
            return (2 * bitCount + Int(rest >> UInt16(bitCount)), extra, bitCount)
        }

        /// What a length's symbol, 257...285, stands for without its extra bits.
        static func length(ofSymbol symbol: Int) -> (base: Int, bitCount: Int) {
            if symbol == 285 { return (258, 0) }
            let index = symbol - 257
            if index < 8 { return (3 + index, 0) }
            let bitCount = index / 4 - 1
            return (3 + (4 + index % 4) << bitCount, bitCount)
        }

        /// What a distance's symbol, 0...29, stands for without its extra bits.
        static func distance(ofSymbol symbol: Int) -> (base: Int, bitCount: Int) {
            if symbol < 4 { return (1 + symbol, 0) }
            let bitCount = symbol / 2 - 1
            return (1 + (2 + symbol % 2) << bitCount, bitCount)
        }
    }
#endif
