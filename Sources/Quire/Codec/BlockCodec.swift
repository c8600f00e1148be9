/// One engine for one block: two functions, nothing else of Quire knows the library behind them.
protocol BlockCodec: Sendable {
    /// Deflates `input` as one complete raw deflate stream.
    ///
    /// - Parameters:
    ///   - runs: the parts of `input`, which are deflated or kept in stored deflate blocks.
    ///   - level: 1...9, for those that are deflated.
    /// - Returns: false if the stream does not fit in the free capacity of `output`, which is then unspecified.
    func deflate(
        _ input: RawSpan, runs: [Run], into output: inout OutputRawSpan, level: Int
    ) throws -> Bool

    /// Inflates a complete raw deflate stream that must end at the last byte of `input` and fill `output`.
    ///
    /// - Throws: `damagedBlock` if it does not.
    func inflate(_ input: RawSpan, into output: inout OutputRawSpan) throws
}
