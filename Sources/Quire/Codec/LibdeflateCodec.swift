#if Libdeflate
    import CLibdeflate
    import Synchronization

    /// The codec on libdeflate, which knows whole deflate streams only: `HybridDeflate` puts those of hybrid blocks together.
    final class LibdeflateCodec: BlockCodec {
        static let shared = LibdeflateCodec()

        private let compressors = Mutex<[Int: [Compressor]]>([:])
        private let decompressors = Mutex<[Decompressor]>([])

        func deflate(
            _ input: RawSpan, runs: [Run], into output: inout OutputRawSpan, level: Int
        ) throws -> Bool {
            let compressor =
                try compressors.withLock({ $0[level]?.popLast() }) ?? Compressor(level: level)
            defer { compressors.withLock { $0[level, default: []].append(compressor) } }
            let runs = Self.merged(runs)
            guard runs.contains(where: \.isStored) else {
                let deflated = try compressor.deflate(input)
                guard deflated.count <= output.freeCapacity else { return false }
                deflated.withBytes { output.append(copying: $0) }
                return true
            }
            let deflated = try HybridDeflate(input, runs: runs, level: level) {
                try compressor.deflate($0)
            }
            guard deflated.bytes.count <= output.freeCapacity else { return false }
            output.append(copying: deflated.bytes)
            return true
        }

        @discardableResult
        func inflate(_ input: RawSpan, into output: inout OutputRawSpan) throws -> StoredRuns {
            let decompressor =
                try decompressors.withLock({ $0.popLast() }) ?? Decompressor()
            defer { decompressors.withLock { $0.append(decompressor) } }
            guard decompressor.inflate(input, into: &output) else {
                // libdeflate does not say what is wrong; zlib does.
                return try ZlibCodec.shared.inflate(input, into: &output)
            }
            return unsafe output.withUnsafeMutableBytes { buffer, count in
                // SAFETY: the first `count` bytes are initialized, and are only read.
                let inflated = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
                return unsafe input.withUnsafeBytes {
                    unsafe StoredRuns(of: $0, inflatedTo: inflated)
                }
            }
        }

        /// The runs, with neighbours of one kind as one.
        private static func merged(_ runs: [Run]) -> [Run] {
            runs.reduce(into: []) { merged, run in
                if merged.last?.isStored == run.isStored {
                    merged[merged.count - 1].byteCount += run.byteCount
                } else if run.byteCount > 0 {
                    merged.append(run)
                }
            }
        }
    }

    /// Works for one thread at a time.
    @safe private final class Compressor: @unchecked Sendable {
        // SAFETY: owned by this object alone, and a pool hands the object to one thread at a time.
        private let compressor: OpaquePointer

        init(level: Int) throws {
            guard let made = unsafe libdeflate_alloc_compressor(Int32(level)) else {
                throw QuireError(
                    .limitExceeded, "libdeflate could not be started at level \(level)")
            }
            unsafe compressor = made
        }

        deinit { unsafe libdeflate_free_compressor(compressor) }

        /// A whole stream of `part`.
        func deflate(_ part: RawSpan) throws -> AlignedBuffer {
            let bound = unsafe libdeflate_deflate_compress_bound(compressor, part.byteCount)
            let deflated = AlignedBuffer(capacity: bound)
            try deflated.fill(upTo: bound) { output in
                let count = unsafe part.withUnsafeBytes { source in
                    unsafe output.withUnsafeMutableBytes { buffer, initialized in
                        // SAFETY: both counts are those of the buffers, which it uses only during the call.
                        unsafe initialized = libdeflate_deflate_compress(
                            compressor, source.baseAddress, source.count, buffer.baseAddress,
                            buffer.count)
                        return initialized
                    }
                }
                guard count > 0 else {
                    throw QuireError(.limitExceeded, "libdeflate did not keep to its bound")
                }
            }
            return deflated
        }
    }

    /// Works for one thread at a time.
    @safe private final class Decompressor: @unchecked Sendable {
        // SAFETY: owned by this object alone, and a pool hands the object to one thread at a time.
        private let decompressor: OpaquePointer

        init() throws {
            guard let made = unsafe libdeflate_alloc_decompressor() else {
                throw QuireError(.limitExceeded, "libdeflate could not be started")
            }
            unsafe decompressor = made
        }

        deinit { unsafe libdeflate_free_decompressor(decompressor) }

        /// - Returns: whether all of `input` is one stream that fills `output`, which is else unchanged.
        func inflate(_ input: RawSpan, into output: inout OutputRawSpan) -> Bool {
            unsafe input.withUnsafeBytes { source in
                unsafe output.withUnsafeMutableBytes { buffer, initialized in
                    let free = buffer.count - initialized
                    var (consumed, produced) = (0, 0)
                    // SAFETY: both counts are those of the buffers, which it uses only during the call.
                    let result = unsafe libdeflate_deflate_decompress_ex(
                        decompressor, source.baseAddress, source.count,
                        buffer.baseAddress?.advanced(by: initialized), free, &consumed, &produced)
                    guard result == LIBDEFLATE_SUCCESS, consumed == source.count, produced == free
                    else { return false }
                    initialized += produced
                    return true
                }
            }
        }
    }
#endif
