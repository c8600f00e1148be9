import CZlib
import Foundation

/// Writes one ordinary gzip member, for readers that stop after the first.
@safe final class PlainGzip {
    // SAFETY: owned by this object alone; on the heap because zlib keeps a pointer back to it.
    private let z: UnsafeMutablePointer<z_stream>
    private let chunkSize = 1 << 16

    /// - Parameter level: 1...9.
    init(level: Int) throws {
        unsafe z = .allocate(capacity: 1)
        unsafe z.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        let gzip: Int32 = 15 + 16  // window bits, and a gzip header and trailer around
        let status = unsafe deflateInit2_(
            z, Int32(level), Z_DEFLATED, gzip, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard status == Z_OK else {
            unsafe z.deallocate()
            throw QuireError(.invalidArgument, "zlib refused level \(level)")
        }
    }

    deinit {
        unsafe _ = deflateEnd(z)
        unsafe z.deallocate()
    }

    /// Deflates `data`, of less than 4 GiB, and writes what comes of it; the last call ends the member.
    func write(_ data: Data, isLast: Bool, to sink: any DataSink) throws {
        let flush = isLast ? Z_FINISH : Z_NO_FLUSH
        try unsafe data.withUnsafeBytes { input in
            // SAFETY: zlib reads at most `avail_in` bytes, and only until it has taken them all, below.
            unsafe z.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            unsafe z.pointee.avail_in = UInt32(input.count)
            var status = Z_OK
            repeat {
                let output = try unsafe [UInt8](unsafeUninitializedCapacity: chunkSize) {
                    buffer, count in
                    unsafe z.pointee.next_out = buffer.baseAddress
                    unsafe z.pointee.avail_out = UInt32(chunkSize)
                    status = unsafe deflate(z, flush)
                    unsafe count = chunkSize - Int(z.pointee.avail_out)
                    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                        throw QuireError(.invalidArgument, "zlib failed (\(status))")
                    }
                }
                if !output.isEmpty { try sink.put(Data(output)) }
            } while isLast
                ? status != Z_STREAM_END : unsafe z.pointee.avail_out == 0
            unsafe z.pointee.next_in = nil
        }
    }
}
