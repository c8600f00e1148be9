#if Libdeflate
    import CLibdeflate
#else
    import CZlib
#endif

/// The one place where the engine is chosen.
enum Codec {
    #if Libdeflate
        static let standard: any BlockCodec = LibdeflateCodec.shared
        /// The levels of blocks; 0 stores them.
        static let levels = 0...12
    #else
        static let standard: any BlockCodec = ZlibCodec.shared
        /// The levels of blocks; 0 stores them.
        static let levels = 0...9
    #endif
}

/// CRC-32 of RFC 1952, continued from `seed`.
func checksum(_ bytes: RawSpan, seed: UInt32 = 0) -> UInt32 {
    guard !bytes.isEmpty else { return seed }
    return unsafe bytes.withUnsafeBytes {
        // SAFETY: either library reads exactly `count` bytes of the buffer, during the call.
        #if Libdeflate
            unsafe libdeflate_crc32(seed, $0.baseAddress, $0.count)
        #else
            unsafe UInt32(
                truncatingIfNeeded: crc32_z(
                    UInt(seed), $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count))
        #endif
    }
}

func checksum(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    // SAFETY: bytes have no padding.
    unsafe checksum(bytes.span.bytes, seed: seed)
}
