package import Foundation

extension OutputRawSpan {
    /// Appends a copy of `bytes`; they must fit.
    package mutating func append(copying bytes: RawSpan) {
        guard !bytes.isEmpty else { return }
        precondition(bytes.byteCount <= freeCapacity, "more bytes than fit")
        unsafe withUnsafeMutableBytes { buffer, initialized in
            unsafe bytes.withUnsafeBytes { source in
                // SAFETY: the precondition bounds the copy, and the two never overlap: one is being initialized.
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[initialized...])
                    .copyMemory(from: source)
            }
            initialized += bytes.byteCount
        }
    }

    mutating func append(copying bytes: [UInt8]) {
        // SAFETY: bytes have no padding.
        unsafe append(copying: bytes.span.bytes)
    }

    /// Lets `body` append at most `byteCount` bytes, by handing it a part of the free capacity.
    @inline(__always) package mutating func append(
        upTo byteCount: Int, _ body: (inout OutputRawSpan) throws -> Void
    ) rethrows {
        precondition(byteCount <= freeCapacity, "more bytes than fit")
        try unsafe withUnsafeMutableBytes { buffer, initialized in
            let range = initialized..<initialized + byteCount
            // SAFETY: the part lies in the free capacity, and its count is added only when it is finalized.
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[range])
            var output = unsafe OutputRawSpan(buffer: part, initializedCount: 0)
            do { try body(&output) } catch {
                unsafe _ = output.finalize(for: part)
                throw error
            }
            initialized += unsafe output.finalize(for: part)
        }
    }
}

/// Memory for a block, page-aligned if it has a page: reads into a buffer that starts inside a page are several times slower.
@safe package final class AlignedBuffer: @unchecked Sendable {
    // SAFETY: filled through `init` or by the one holder that `isKnownUniquelyReferenced` or a pool makes
    // exclusive; read-only once it is shared.
    private let memory: UnsafeMutableRawBufferPointer
    package private(set) var count = 0

    /// The bytes that it can hold.
    package var capacity: Int { unsafe memory.count }

    package init(capacity: Int) {
        // Of a small block a page of its own would take more than the block.
        unsafe memory = .allocate(
            byteCount: max(capacity, 1), alignment: capacity < 4096 ? 64 : 4096)
    }

    deinit { unsafe memory.deallocate() }

    /// Replaces the contents with what `body` appends; at most `limit` bytes.
    package func fill(upTo limit: Int, _ body: (inout OutputRawSpan) throws -> Void) rethrows {
        count = 0
        // SAFETY: the span does not outlive this call, and `limit` is checked by the slice.
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[0..<limit])
        var output = unsafe OutputRawSpan(buffer: part, initializedCount: 0)
        do { try body(&output) } catch {
            unsafe _ = output.finalize(for: part)
            throw error
        }
        count = unsafe output.finalize(for: part)
    }

    /// Appends a copy of `bytes`, which must fit.
    package func append(_ bytes: RawSpan) {
        // SAFETY: the span does not outlive this call, and covers only the free part of the memory.
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
        var output = unsafe OutputRawSpan(buffer: part, initializedCount: 0)
        output.append(copying: bytes)
        count += unsafe output.finalize(for: part)
    }

    package func removeAll() { count = 0 }

    /// Overwrites the bytes from `offset` on, which are there.
    func replace(at offset: Int, with bytes: [UInt8]) {
        precondition(offset >= 0 && offset + bytes.count <= count, "bytes past the contents")
        for index in bytes.indices { unsafe memory[offset + index] = bytes[index] }
    }

    /// Appends a copy of a range of the contents to `output`, where it must fit.
    @inline(__always) func copy(_ range: Range<Int>, into output: inout OutputRawSpan) {
        precondition(range.upperBound <= count && range.count <= output.freeCapacity)
        unsafe output.withUnsafeMutableBytes { buffer, initialized in
            // SAFETY: the precondition bounds both sides.
            let target = unsafe buffer.baseAddress?.advanced(by: initialized)
            let source = unsafe memory.baseAddress?.advanced(by: range.lowerBound)
            if let target = unsafe target, let source = unsafe source {
                unsafe target.copyMemory(from: source, byteCount: range.count)
                initialized += range.count
            }
        }
    }

    /// A copy of the contents.
    package var data: Data { unsafe Data(UnsafeRawBufferPointer(rebasing: memory[0..<count])) }

    /// Calls `body` with the contents.
    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(rebasing: memory[0..<count]).bytes)
    }
}

extension Array where Element == UInt8 {
    /// The little-endian integer at `offset`; the caller has checked that it is there.
    func littleEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
        precondition(offset >= 0 && offset <= count - MemoryLayout<T>.size, "bytes past the end")
        // SAFETY: the bytes were just checked to be there.
        return unsafe withUnsafeBytes {
            T(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
    }

    mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        for index in 0..<MemoryLayout<T>.size {
            append(UInt8(truncatingIfNeeded: value >> (8 * T(index))))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Where `needle` begins, each time.
    func places(of needle: [UInt8]) -> [Int] {
        var places: [Int] = []
        var start = 0
        // SAFETY: memmem looks only at the rest of the buffer, and its result lies in there.
        while let base = baseAddress,
            let found = unsafe memmem(base + start, count - start, needle, needle.count)
        {
            let place = unsafe UnsafeRawPointer(found) - base
            places.append(place)
            start = place + 1
        }
        return places
    }
}

extension UUID {
    /// The UUID from its 16 bytes, in the order of RFC 9562.
    init(bytes b: ArraySlice<UInt8>) {
        let b = Array(b)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
                b[13], b[14], b[15]
            ))
    }

    var bytes: [UInt8] {
        let u = uuid
        return [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
    }
}

extension DataProviding {
    /// Exactly `count` bytes from `fileOffset` on.
    ///
    /// - Throws: `truncated` if there are fewer: a short read of stored bytes is never taken for the end.
    package func readBytes(_ count: Int, at fileOffset: UInt64) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            // SAFETY: the span covers the array's own memory and does not outlive this closure.
            var output = unsafe OutputRawSpan(buffer: raw, initializedCount: 0)
            do { try readAll(into: &output, at: fileOffset) } catch {
                unsafe _ = output.finalize(for: raw)
                throw error
            }
            initialized = unsafe output.finalize(for: raw)
        }
    }

    /// Fills all of `output`, asking again after short reads.
    package func readAll(into output: inout OutputRawSpan, at fileOffset: UInt64) throws {
        var position = fileOffset
        while output.freeCapacity > 0 {
            let before = output.byteCount
            try read(into: &output, atOffset: position)
            guard output.byteCount > before else {
                throw QuireError(
                    .truncated, "the stored bytes end \(output.freeCapacity) bytes too early",
                    fileOffset: position)
            }
            position += UInt64(output.byteCount - before)
        }
    }
}
