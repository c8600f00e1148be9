import CZlib
import Synchronization

/// The codec on zlib. Streams are made once and reset between blocks: `deflateInit` for each costs 4 %.
final class ZlibCodec: BlockCodec {
    static let shared = ZlibCodec()

    private let deflaters = Mutex<[Stream]>([])
    private let inflaters = Mutex<[Stream]>([])

    func deflate(
        _ input: RawSpan, runs: [Run], into output: inout OutputRawSpan, level: Int
    ) throws -> Bool {
        let stream = try deflaters.withLock({ $0.popLast() }) ?? Stream(.deflate(level: level))
        defer { deflaters.withLock { $0.append(stream) } }
        return try stream.deflate(input, runs: runs, into: &output, level: level)
    }

    @discardableResult
    func inflate(_ input: RawSpan, into output: inout OutputRawSpan) throws -> StoredRuns {
        let stream = try inflaters.withLock({ $0.popLast() }) ?? Stream(.inflate)
        defer { inflaters.withLock { $0.append(stream) } }
        return try stream.inflate(input, into: &output)
    }
}

/// One zlib stream. It lives on the heap: zlib keeps a pointer back to the `z_stream`, which must not move.
@safe private final class Stream: @unchecked Sendable {
    enum Kind { case deflate(level: Int), inflate }

    // SAFETY: owned by this object alone, and a pool hands the object to one thread at a time.
    private let z: UnsafeMutablePointer<z_stream>
    private let kind: Kind
    private var level = 0

    init(_ kind: Kind) throws {
        unsafe z = .allocate(capacity: 1)
        unsafe z.initialize(to: z_stream())
        self.kind = kind
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        let status: Int32
        switch kind {
        case .deflate(let level):
            self.level = level
            status = unsafe deflateInit2_(
                z, Int32(level), Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        case .inflate: status = unsafe inflateInit2_(z, -15, ZLIB_VERSION, size)
        }
        guard status == Z_OK else {
            throw QuireError(.limitExceeded, "zlib could not be started (\(status))")
        }
    }

    deinit {
        switch kind {
        case .deflate: unsafe _ = deflateEnd(z)
        case .inflate: unsafe _ = inflateEnd(z)
        }
        unsafe z.deallocate()
    }

    func deflate(
        _ input: RawSpan, runs: [Run], into output: inout OutputRawSpan, level: Int
    ) throws -> Bool {
        unsafe deflateReset(z)
        var start = 0
        for (index, run) in runs.enumerated() {
            // Z_BLOCK ends the deflate block and nothing more: a change of level needs no more, and no alignment.
            let flush = index == runs.count - 1 ? Z_FINISH : Z_BLOCK
            guard try setLevel(run.isStored ? 0 : level, &output) else { return false }
            let part = input.extracting(start..<start + run.byteCount)
            let status = try unsafe self.run(part, into: &output) {
                unsafe CZlib.deflate($0, flush)
            }
            if flush == Z_FINISH { return status == Z_STREAM_END }
            guard output.freeCapacity > 0 else { return false }
            start += run.byteCount
        }
        return false
    }

    /// Changes the level; zlib may write what it holds back.
    ///
    /// - Returns: false if `output` is full.
    private func setLevel(_ level: Int, _ output: inout OutputRawSpan) throws -> Bool {
        guard level != self.level else { return true }
        let nothing = RawSpan()
        let status = try unsafe run(nothing, into: &output) {
            unsafe deflateParams($0, Int32(level), Z_DEFAULT_STRATEGY)
        }
        if status == Z_BUF_ERROR { return false }
        guard status == Z_OK else {
            throw QuireError(.invalidArgument, "zlib refused level \(level)")
        }
        self.level = level
        return true
    }

    func inflate(_ input: RawSpan, into output: inout OutputRawSpan) throws -> StoredRuns {
        unsafe inflateReset(z)
        var runs = StoredRuns()
        let size = output.freeCapacity
        func note(atBit position: Int, _ start: Int) {
            guard let run = Self.storedBlock(atBit: position, of: input) else { return }
            runs.append(start..<start + run.count, deflateOffset: run.lowerBound)
        }
        note(atBit: 0, 0)
        let status = try unsafe run(input, into: &output) { z in
            while true {
                // Z_BLOCK returns in front of each deflate block but the first, and once more behind the last.
                let status = unsafe CZlib.inflate(z, Z_BLOCK)
                let state = unsafe Int(z.pointee.data_type)
                guard status == Z_OK, state & 128 != 0 else { return status }
                if state & 64 != 0 { continue }
                let consumed = unsafe input.byteCount - Int(z.pointee.avail_in)
                unsafe note(atBit: 8 * consumed - (state & 7), size - Int(z.pointee.avail_out))
            }
        }
        let rest = unsafe z.pointee.avail_in
        guard status == Z_STREAM_END, rest == 0, output.freeCapacity == 0 else {
            let cause =
                status == Z_DATA_ERROR
                ? unsafe z.pointee.msg.map { unsafe String(cString: $0) } ?? "bad data"
                : output.freeCapacity > 0
                    ? "it ends \(output.freeCapacity) bytes too early"
                    : "\(rest) bytes follow its end"
            throw QuireError(.damagedBlock, "the deflate stream is damaged: \(cause)")
        }
        return runs
    }

    /// Where the bytes of a stored deflate block lie whose header begins at this bit, if it is one.
    private static func storedBlock(atBit position: Int, of input: RawSpan) -> Range<Int>? {
        let length = (position + 3 + 7) / 8  // LEN begins at the next whole byte
        guard length + 4 <= input.byteCount else { return nil }
        let bytes = [UInt8](input.extracting(position / 8..<length + 2))
        let header = bytes.littleEndian(at: 0, as: UInt16.self) >> UInt16(position % 8)
        guard header & 0b110 == 0 else { return nil }
        let count: UInt16 = bytes.littleEndian(at: length - position / 8)
        return length + 4..<length + 4 + Int(count)
    }

    /// One call of zlib over the whole of `input` and the free capacity of `output`.
    private func run(
        _ input: RawSpan, into output: inout OutputRawSpan,
        _ call: (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws -> Int32 {
        guard let inputCount = UInt32(exactly: input.byteCount),
            let capacity = UInt32(exactly: output.freeCapacity)
        else {
            throw QuireError(.limitExceeded, "a block of \(input.byteCount) bytes is too large")
        }
        return unsafe input.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { buffer, initialized in
                // SAFETY: both counts are those of the buffers, zlib stays within them, and the pointers are
                // cleared before the buffers go.
                unsafe z.pointee.next_in = UnsafeMutablePointer(
                    mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
                unsafe z.pointee.avail_in = inputCount
                unsafe z.pointee.next_out = buffer.baseAddress?
                    .advanced(by: initialized).assumingMemoryBound(to: UInt8.self)
                unsafe z.pointee.avail_out = capacity
                let status = unsafe call(z)
                unsafe initialized += Int(capacity - z.pointee.avail_out)
                unsafe z.pointee.next_in = nil
                unsafe z.pointee.next_out = nil
                return status
            }
        }
    }
}
