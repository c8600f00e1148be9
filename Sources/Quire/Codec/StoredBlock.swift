/// A block kept as stored deflate blocks (RFC 1951, 3.2.4): five bytes, then at most 65,535 bytes of it, and so on.
enum StoredBlock {
    static let pieceLimit = 65_535
    static let headerSize = 5

    /// Bytes of deflate data for a block of `blockSize` bytes, 1 or more.
    static func deflateSize(blockSize: Int) -> Int {
        blockSize + headerSize * ((blockSize + pieceLimit - 1) / pieceLimit)
    }

    /// Where byte `position` of the block lies in the deflate data.
    static func deflateOffset(of position: Int) -> Int {
        position + headerSize * (position / pieceLimit + 1)
    }

    /// The parts of a range that lie in one piece each, and are therefore contiguous in the deflate data.
    struct Pieces: Sequence, IteratorProtocol {
        var rest: Range<Int>

        mutating func next() -> Range<Int>? {
            guard !rest.isEmpty else { return nil }
            let pieceEnd = (rest.lowerBound / pieceLimit + 1) * pieceLimit
            let piece = rest.lowerBound..<Swift.min(rest.upperBound, pieceEnd)
            rest = piece.upperBound..<rest.upperBound
            return piece
        }
    }

    static func pieces(of range: Range<Int>) -> Pieces { Pieces(rest: range) }

    /// Appends the deflate data of `block`.
    static func encode(_ block: RawSpan, into output: inout OutputRawSpan) {
        for piece in pieces(of: 0..<block.byteCount) {
            let length = UInt16(piece.count)
            var header: [UInt8] = [piece.upperBound == block.byteCount ? 1 : 0]
            header.append(littleEndian: length)
            header.append(littleEndian: ~length)
            output.append(copying: header)
            output.append(copying: block.extracting(piece))
        }
    }

    /// Checks the piece headers of `deflateData`; its CRC is the caller's business.
    ///
    /// - Returns: the CRC of the block.
    /// - Throws: a fault if a header is not as `encode` writes it.
    static func checksum(of deflateData: RawSpan, blockSize: Int) throws(MemberFault) -> UInt32 {
        guard deflateData.byteCount == deflateSize(blockSize: blockSize) else {
            throw MemberFault("a stored block has the wrong length")
        }
        var sum: UInt32 = 0
        for piece in pieces(of: 0..<blockSize) {
            let data = deflateOffset(of: piece.lowerBound)
            let header = [UInt8](deflateData.extracting(data - headerSize..<data))
            let length = header.littleEndian(at: 1, as: UInt16.self)
            guard header[0] == (piece.upperBound == blockSize ? 1 : 0), length == piece.count,
                header.littleEndian(at: 3, as: UInt16.self) == ~length
            else { throw MemberFault("a stored deflate block has a damaged header") }
            sum = Quire.checksum(deflateData.extracting(data..<data + piece.count), seed: sum)
        }
        return sum
    }
}

extension Array where Element == UInt8 {
    /// A copy of `bytes`.
    init(_ bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }
}
