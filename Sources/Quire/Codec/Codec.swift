/// The one place where the engine is chosen.
enum Codec {
    #if Libdeflate
        static let standard: any BlockCodec = LibdeflateCodec.shared
        /// The levels of blocks; 0 stores them.
        static let levels = 0...12
        /// Time to inflate a byte, beside zlib's.
        static let inflateCost: Float = 0.45
    #else
        static let standard: any BlockCodec = ZlibCodec.shared
        /// The levels of blocks; 0 stores them.
        static let levels = 0...9
        /// Time to inflate a byte, beside zlib's.
        static let inflateCost: Float = 1
    #endif
}
