extension CompressedDataProvider {
    /// How a store is written and how much of it is kept in memory.
    public struct Configuration: Sendable {
        /// The levels that `level` may have: 0...9, and 0...12 with the package trait `Libdeflate`.
        public static var levels: ClosedRange<Int> { Codec.levels }

        /// How hard to try for new blocks, from 1, the fastest, to the last of `levels`; 0 stores them all.
        public var level: Int
        /// What new blocks are made for: a small store, or quick reads.
        public var favor: Favor
        /// Bytes of a block of a store written anew, 512...1,048,576. An append keeps the store's own.
        public var blockSize: Int
        /// Bytes of inflated blocks that are kept, 0 or more; one block always is.
        public var cacheByteBudget: Int

        /// Makes a configuration; the defaults suit renderers.
        ///
        /// - Parameter blockSize: nil for the one that goes with the favor: 512 KiB for `.size`, else 64 KiB.
        public init(
            level: Int = 6, favor: Favor = .balanced, blockSize: Int? = nil,
            cacheByteBudget: Int = 4 << 20
        ) {
            self.level = level
            self.favor = favor
            self.blockSize = blockSize ?? favor.blockSize
            self.cacheByteBudget = cacheByteBudget
        }

        func check() throws {
            guard Self.levels ~= level else {
                throw QuireError(
                    .invalidArgument, "the level is \(level), allowed are \(Self.levels)")
            }
            guard FormatLimit.blockSizes ~= blockSize else {
                throw QuireError(
                    .invalidArgument,
                    "the block size is \(blockSize) bytes, allowed are 512...1048576")
            }
            guard cacheByteBudget >= 0 else {
                throw QuireError(.invalidArgument, "the cache budget is \(cacheByteBudget) bytes")
            }
        }
    }
}
