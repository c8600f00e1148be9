/// One engine for one block: two functions, nothing else of Quire knows the library behind them.
protocol BlockCodec: Sendable {
    /// Deflates `input` as one complete raw deflate stream.
    ///
    /// - Parameters:
    ///   - runs: the parts of `input`, which are deflated or kept in stored deflate blocks.
    ///   - level: 1 or more, for those that are deflated.
    /// - Returns: false if the stream does not fit in the free capacity of `output`, which is then unspecified.
    func deflate(
        _ input: RawSpan, runs: [Run], into output: inout OutputRawSpan, level: Int
    ) throws -> Bool

    /// Inflates a complete raw deflate stream that must end at the last byte of `input` and fill `output`.
    ///
    /// - Returns: where the bytes of its stored deflate blocks lie, of those that are worth to be read on their own.
    /// - Throws: `damagedBlock` if it does not.
    @discardableResult
    func inflate(_ input: RawSpan, into output: inout OutputRawSpan) throws -> StoredRuns
}

/// The stored parts of a block's deflate stream.
struct StoredRuns: Sendable {
    /// Shorter runs are not worth an upstream read.
    static let leastByteCount = 1024

    /// Bytes in front of the deflate data.
    var headerSize = 0
    private var starts: [UInt32] = []
    private var ends: [UInt32] = []
    private var deflateOffsets: [UInt32] = []

    var isEmpty: Bool { starts.isEmpty }

    /// Notes a run, in order.
    mutating func append(_ range: Range<Int>, deflateOffset: Int) {
        guard range.count >= Self.leastByteCount else { return }
        starts.append(UInt32(range.lowerBound))
        ends.append(UInt32(range.upperBound))
        deflateOffsets.append(UInt32(deflateOffset))
    }

    /// Where the bytes of `range` of the block lie in its member, if they are in one run.
    func memberOffset(of range: Range<Int>) -> Int? {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        guard low > 0, range.upperBound <= Int(ends[low - 1]) else { return nil }
        return headerSize + Int(deflateOffsets[low - 1]) + range.lowerBound - Int(starts[low - 1])
    }
}
