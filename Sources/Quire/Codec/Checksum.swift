import CChecksum
import CZlib

/// CRC-32 of RFC 1952, continued from `seed`: zlib's, with a processor's carry-less multiplication for most of the bytes
/// where there is one. That makes it 4.5 times as fast, and a checked read of a stored block half as long.
func checksum(_ bytes: RawSpan, seed: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBytes { buffer in
        var (sum, start) = (seed, 0)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { folded in
            // SAFETY: reads `count` bytes and writes 16 if it reads any.
            if let bytes = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) {
                start = unsafe quire_crc32_fold(seed, bytes, buffer.count, folded.baseAddress)
            }
            // All ones are the register's complement of 0.
            if start > 0 { sum = unsafe zlibChecksum(UnsafeRawBufferPointer(folded), seed: ~0) }
        }
        guard start < buffer.count else { return sum }
        return unsafe zlibChecksum(UnsafeRawBufferPointer(rebasing: buffer[start...]), seed: sum)
    }
}

func checksum(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    // SAFETY: bytes have no padding.
    unsafe checksum(bytes.span.bytes, seed: seed)
}

/// zlib's CRC-32 of 1 byte or more.
private func zlibChecksum(_ bytes: UnsafeRawBufferPointer, seed: UInt32) -> UInt32 {
    // SAFETY: zlib reads exactly `count` bytes of the buffer, during the call.
    unsafe UInt32(
        truncatingIfNeeded: crc32_z(
            UInt(seed), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
}
