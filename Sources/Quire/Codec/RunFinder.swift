import Foundation

/// What the writer of a store weighs more: bytes saved, or time to read them.
///
/// Reading a stored byte is a copy, reading a deflated one costs some thirty times as much. So a part of a block is
/// deflated where that saves more than the favor asks for, and stored elsewhere, within one deflate stream.
public enum Favor: String, Sendable, CaseIterable {
    /// The smallest store: in blocks of 512 KiB, each divided as for `balanced` or not at all, whichever is smaller.
    case size
    /// Deflates what saves more than a tenth; less with libdeflate, which inflates in half the time.
    case balanced
    /// Deflates what saves more than a third; less with libdeflate.
    case speed

    /// Bytes that are given up to spare the inflating of one byte.
    var inflatePrice: Float {
        switch self {
        case .size, .balanced: 0.1 * Codec.inflateCost
        case .speed: 0.33 * Codec.inflateCost
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
    /// Bytes that it costs to begin a deflated run and a stored one, as measured over real PDFs: the header of a Huffman code
    /// mostly pays for itself.
    private static let deflatedStart: Float = 8
    private static let storedStart: Float = 4
    /// Bits of a match, besides those of its distance.
    private static let matchBits: Float = 7

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
        let count = block.count
        var heads = [Int32](repeating: -1, count: 1 << Self.hashBits)
        var position = 0
        // SAFETY: every index below is less than `count`, words of four bytes end at it, and the arrays' sizes are
        // those of the hash and of the pieces.
        var literals = self.literals
        unsafe heads.withUnsafeMutableBufferPointer { heads in
            unsafe pieces.withUnsafeMutableBufferPointer { pieces in
                while position < count {
                    if position + 4 <= count {
                        let word = unsafe block.loadUnaligned(
                            fromByteOffset: position, as: UInt32.self)
                        let hash = Int((word &* 0x9e37_79b1) >> UInt32(32 - Self.hashBits))
                        let candidate = unsafe Int(heads[hash])
                        unsafe heads[hash] = Int32(truncatingIfNeeded: position)
                        if candidate >= 0, position - candidate <= Self.window,
                            unsafe block.loadUnaligned(
                                fromByteOffset: candidate, as: UInt32.self) == word
                        {
                            var length = 4
                            let limit = min(258, count - position)
                            while length < limit,
                                unsafe block[candidate + length] == block[position + length]
                            { length += 1 }
                            // The cost of the match is spread over the pieces that it covers.
                            let distance = position - candidate
                            let bits =
                                (Self.matchBits
                                    + Float(Int.bitWidth - distance.leadingZeroBitCount))
                                / Float(length)
                            let end = position + length
                            while position < end {
                                let piece = position / Self.pieceSize
                                let next = min(end, (piece + 1) * Self.pieceSize)
                                unsafe pieces[piece].matchBits += bits * Float(next - position)
                                position = next
                            }
                            continue
                        }
                    }
                    unsafe literals.append(block[position])
                    unsafe pieces[position / Self.pieceSize].literalCount += 1
                    position += 1
                }
            }
        }
        self.literals = literals
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
        var start = 0
        for group in stride(from: 0, to: pieces.count, by: Self.groupSize) {
            let range = group..<min(group + Self.groupSize, pieces.count)
            let end = start + pieces[range].reduce(0) { $0 + $1.literalCount }
            var counts = [Int](repeating: 0, count: 256)
            for index in start..<end { counts[Int(literals[index])] += 1 }
            var distinct: Float = 0
            for value in 0..<256 where counts[value] > 0 {
                lengths[value] = Self.logs[end - start] - Self.logs[counts[value]]
                distinct += 1
            }
            // Few samples look more regular than they are, by about this many bits in all (Miller and Madow).
            let bias = end > start ? (distinct - 1) / 1.386 / Float(end - start) : 0
            for piece in range {
                let next = start + pieces[piece].literalCount
                var bits = bias * Float(next - start)
                for index in start..<next { bits += lengths[Int(literals[index])] }
                pieces[piece].literalBits = min(bits, Float(8 * (next - start)))
                if pieces[piece].deflatedSize < 0.75 * Float(Self.pieceSize) {
                    for index in start..<next { textCounts[Int(literals[index])] += 1 }
                    textTotal += next - start
                }
                start = next
            }
        }
        guard textTotal > 300 else { return }
        for value in 0..<256 {
            lengths[value] = log2(Float(textTotal + 26) / (Float(textCounts[value]) + 0.1))
        }
        start = 0
        for piece in pieces.indices {
            let next = start + pieces[piece].literalCount
            var bits: Float = 0
            for index in start..<next { bits += lengths[Int(literals[index])] }
            pieces[piece].literalBits = min(pieces[piece].literalBits, bits)
            start = next
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
