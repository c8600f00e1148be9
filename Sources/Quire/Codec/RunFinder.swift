import Foundation

/// What the writer of a store weighs more: bytes saved, or time to read them.
///
/// Reading a stored byte is a copy, reading a deflated one costs some thirty times as much. So a part of a block is
/// deflated where that saves more than the favor asks for, and stored elsewhere, within one deflate stream.
public enum Favor: String, Sendable, CaseIterable {
    /// The smallest store: in blocks of 512 KiB, each divided as for `balanced` or not at all, whichever is smaller.
    case size
    /// Deflates what saves more than a tenth, with libdeflate, which inflates in half the time, more than 3.5 %.
    case balanced
    /// Deflates what saves more than 31 %.
    case speed

    /// Bytes that are given up to spare the inflating of one byte.
    var inflatePrice: Float {
        switch self {
        case .size, .balanced: Codec.inflatePrice
        case .speed: 0.31
        }
    }

    /// The block size that goes with it, in bytes.
    var blockSize: Int { self == .size ? 1 << 19 : 1 << 16 }
}

/// A part of a block that is deflated or stored as a whole.
struct Run: Equatable {
    var byteCount: Int
    var isStored: Bool
}

/// Divides a block into runs by what deflate would save in each, from a cheap look at its bytes.
///
/// The block is cut into pieces of 64 bytes. One probe of a hash table at each byte finds matches; what remains are literals. A
/// piece's literals cost what they cost under the cheapest of three codes: eight bits each, a code for the 2 KiB around the piece,
/// and one code for all the text of the block. The cheapest way through the pieces, deflated or stored, gives the runs: with a
/// price for each change of state and one for each byte to be inflated. Where a PDF says that a stream begins or
/// ends, the change is moved there.
@safe struct RunFinder {
    private static let pieceSize = 64
    private static let groupSize = 32  // pieces
    private static let hashBits = 13
    private static let window = 32_768
    /// Bytes between two places that are looked at, at most.
    private static let longestStep = 2
    /// Bytes that it costs to begin a deflated run and a stored one, as measured over real PDFs: the header of a Huffman code
    /// mostly pays for itself.
    private static let deflatedStart: Float = 8
    private static let storedStart: Float = 4
    /// Bits of a match, besides those of its distance.
    private static let matchBits: Float = 7
    /// Bits of a literal from which on a group is not looked at more closely.
    private static let noiseBits: Float = 7.97

    /// log2 of counts.
    private static let logs: [Float] = [0] + (1...groupSize * pieceSize).map { log2(Float($0)) }

    private struct Piece {
        var byteCount = 0
        var literalCount = 0
        var matchBits: Float = 0
        var literalBits: Float = 0
        var deflatedSize: Float { (matchBits + literalBits) / 8 }
    }

    private var pieces: [Piece]
    /// The bytes that are in no match, in order.
    private var literals: [UInt8] = []
    /// Where a stream begins or ends, if the bytes are a PDF's.
    private var marks: [Int] = []

    /// The runs of `block`.
    ///
    /// - Parameter inflatePrice: bytes that are given up to spare the inflating of one byte, 0 or more.
    static func runs(of block: RawSpan, inflatePrice: Float) -> [Run] {
        guard block.byteCount > 2 * pieceSize else {
            return [Run(byteCount: block.byteCount, isStored: false)]
        }
        var finder = RunFinder(byteCount: block.byteCount)
        unsafe block.withUnsafeBytes {
            unsafe finder.findMatches(in: $0)
            unsafe finder.findStreams(in: $0)
        }
        finder.weighLiterals()
        return finder.cheapestRuns(inflatePrice: inflatePrice)
    }

    private init(byteCount: Int) {
        let count = (byteCount + Self.pieceSize - 1) / Self.pieceSize
        pieces = Array(repeating: Piece(byteCount: Self.pieceSize), count: count)
        pieces[count - 1].byteCount = byteCount - (count - 1) * Self.pieceSize
        literals.reserveCapacity(byteCount)
    }

    /// Walks over the block as deflate would at its fastest level.
    private mutating func findMatches(in block: UnsafeRawBufferPointer) {
        var heads = [Int32](repeating: -1, count: 1 << Self.hashBits)
        var (position, literalStart, misses) = (0, 0, 0)
        // SAFETY: every index below is less than `count`, words of four bytes end at it, and the array's size is that of the
        // hash.
        unsafe heads.withUnsafeMutableBufferPointer { heads in
            while position + 4 <= block.count {
                let word = unsafe block.loadUnaligned(fromByteOffset: position, as: UInt32.self)
                let hash = Int((word &* 0x9e37_79b1) >> UInt32(32 - Self.hashBits))
                let candidate = unsafe Int(heads[hash])
                unsafe heads[hash] = Int32(truncatingIfNeeded: position)
                guard candidate >= 0, position - candidate <= Self.window,
                    unsafe block.loadUnaligned(fromByteOffset: candidate, as: UInt32.self) == word
                else {
                    // Where there have been none for long, not every place is looked at.
                    misses += 1
                    position += min(1 + misses >> 6, Self.longestStep)
                    continue
                }
                var (start, from) = (position, candidate)
                while start > literalStart, from > 0, unsafe block[start - 1] == block[from - 1] {
                    start -= 1
                    from -= 1
                }
                var end = position + 4
                let limit = min(start + 258, block.count)
                while end < limit, unsafe block[end] == block[end - (start - from)] { end += 1 }
                unsafe addLiterals(literalStart..<start, of: block)
                addMatch(start..<end, distance: start - from)
                (position, literalStart, misses) = (end, end, 0)
            }
        }
        unsafe addLiterals(literalStart..<block.count, of: block)
    }

    /// Spreads the cost of a match over the pieces that it covers.
    private mutating func addMatch(_ range: Range<Int>, distance: Int) {
        let bits =
            (Self.matchBits + Float(Int.bitWidth - distance.leadingZeroBitCount))
            / Float(range.count)
        Self.forEachPiece(of: range) { pieces[$0].matchBits += bits * Float($1) }
    }

    private mutating func addLiterals(_ range: Range<Int>, of block: UnsafeRawBufferPointer) {
        guard !range.isEmpty else { return }
        unsafe literals.append(contentsOf: UnsafeRawBufferPointer(rebasing: block[range]))
        Self.forEachPiece(of: range) { pieces[$0].literalCount += $1 }
    }

    /// Calls `body` with each piece that has bytes of `range`, and their number.
    @inline(__always) private static func forEachPiece(
        of range: Range<Int>, _ body: (_ piece: Int, _ byteCount: Int) -> Void
    ) {
        var position = range.lowerBound
        while position < range.upperBound {
            let piece = position / pieceSize
            let next = min(range.upperBound, (piece + 1) * pieceSize)
            body(piece, next - position)
            position = next
        }
    }

    /// Finds where streams begin, behind `stream` and its line end, and end, in front of `endstream`.
    private mutating func findStreams(in block: UnsafeRawBufferPointer) {
        for place in unsafe block.places(of: Array("stream".utf8)) {
            if place >= 3, unsafe block[place - 3..<place].elementsEqual("end".utf8) {
                marks.append(place - 3)
            } else if place + 8 <= block.count {
                let isTwo = unsafe block[place + 6] == 13 && block[place + 7] == 10
                marks.append(place + (isTwo ? 8 : 7))
            }
        }
    }

    /// Gives each piece's literals the bits of the cheapest of the three codes.
    private mutating func weighLiterals() {
        var textCounts = [Int](repeating: 0, count: 256)
        var textTotal = 0
        var lengths = [Float](repeating: 0, count: 256)
        var counts = [Int32](repeating: 0, count: 256)
        /// The groups with literals that a code of their own makes shorter, and where these begin.
        var groups: [(pieces: Range<Int>, start: Int)] = []
        var start = 0
        for group in stride(from: 0, to: pieces.count, by: Self.groupSize) {
            let range = group..<min(group + Self.groupSize, pieces.count)
            let groupStart = start
            let end = start + pieces[range].reduce(0) { $0 + $1.literalCount }
            for value in 0..<256 { counts[value] = 0 }
            for literal in literals[start..<end] { counts[Int(literal)] += 1 }
            var (distinct, total) = (0 as Float, 0 as Float)
            for value in 0..<256 where counts[value] > 0 {
                lengths[value] = Self.logs[end - start] - Self.logs[Int(counts[value])]
                total += lengths[value] * Float(counts[value])
                distinct += 1
            }
            // Few samples look more regular than they are, by about this many bits in all (Miller and Madow).
            let bias = end > start ? (distinct - 1) / 1.386 / Float(end - start) : 0
            let isNoise = total + bias * Float(end - start) > Self.noiseBits * Float(end - start)
            if !isNoise { groups.append((range, groupStart)) }
            for piece in range {
                let next = start + pieces[piece].literalCount
                var bits = Float(8 * (next - start))
                if !isNoise {
                    let own = literals[start..<next].reduce(bias * Float(next - start)) {
                        $0 + lengths[Int($1)]
                    }
                    bits = min(bits, own)
                }
                pieces[piece].literalBits = bits
                if pieces[piece].deflatedSize < 0.75 * Float(Self.pieceSize) {
                    for literal in literals[start..<next] { textCounts[Int(literal)] += 1 }
                    textTotal += next - start
                }
                start = next
            }
        }
        guard textTotal > 300 else { return }
        for value in 0..<256 {
            lengths[value] = log2(Float(textTotal + 26) / (Float(textCounts[value]) + 0.1))
        }
        for group in groups {
            start = group.start
            for piece in group.pieces {
                let next = start + pieces[piece].literalCount
                let bits = literals[start..<next].reduce(0) { $0 + lengths[Int($1)] }
                pieces[piece].literalBits = min(pieces[piece].literalBits, bits)
                start = next
            }
        }
    }

    /// The cheapest way through the pieces (Viterbi), as runs.
    private func cheapestRuns(inflatePrice: Float) -> [Run] {
        var (stored, deflated) = (Self.storedStart, Self.deflatedStart)
        // Whether the cheapest way to a piece in this state comes from the other.
        var changes: [(toStored: Bool, toDeflated: Bool)] = []
        changes.reserveCapacity(pieces.count)
        for piece in pieces {
            let toStored = deflated + Self.storedStart < stored
            let toDeflated = stored + Self.deflatedStart < deflated
            let size = Float(piece.byteCount)
            let before = (stored: stored, deflated: deflated)
            stored = (toStored ? before.deflated + Self.storedStart : before.stored) + size
            deflated =
                (toDeflated ? before.stored + Self.deflatedStart : before.deflated)
                + piece.deflatedSize + size * inflatePrice
            changes.append((toStored, toDeflated))
        }
        var isStored = stored < deflated
        var end = pieces.reduce(0) { $0 + $1.byteCount }
        var runs: [Run] = []
        for index in pieces.indices.reversed() {
            guard isStored ? changes[index].toStored : changes[index].toDeflated else { continue }
            let start = snapped(index * Self.pieceSize, below: end)
            if start > 0 {
                runs.append(Run(byteCount: end - start, isStored: isStored))
                end = start
            }
            isStored.toggle()
        }
        runs.append(Run(byteCount: end, isStored: isStored))
        return runs.reversed()
    }

    /// The nearest mark within a piece of `boundary`, or the boundary.
    private func snapped(_ boundary: Int, below end: Int) -> Int {
        // Few marks: a search from the back is short.
        for mark in marks.reversed() where abs(mark - boundary) <= Self.pieceSize {
            return mark < end ? mark : boundary
        }
        return boundary
    }
}
