/// The one place where the engine is chosen.
enum Codec {
    #if Libdeflate
        static let standard: any BlockCodec = LibdeflateCodec.shared
        /// The levels of blocks; 0 stores them.
        static let levels = 0...12
        /// Bytes that `Favor.balanced` gives up to spare the inflating of one byte.
        static let inflatePrice: Float = 0.035
    #else
        static let standard: any BlockCodec = ZlibCodec.shared
        /// The levels of blocks; 0 stores them.
        static let levels = 0...9
        /// Bytes that `Favor.balanced` gives up to spare the inflating of one byte.
        static let inflatePrice: Float = 0.1
    #endif
}
