package import Foundation

extension DataProviding {
    /// How many of `count` bytes from `offset` on the document has.
    package func clampedCount(_ count: UInt64, at offset: UInt64) -> Int {
        Quire.clampedCount(count, at: offset, of: size)
    }

    /// `readData` in terms of `read(into:atOffset:)`, for the providers that do the latter without a copy.
    package func clampedData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        let count = clampedCount(size, at: offset)
        guard count > 0 else { return Data() }
        // SAFETY: the memory is handed to the Data, which frees it, or freed here when the read throws.
        guard let memory = unsafe malloc(count) else {
            throw QuireError(.limitExceeded, "no memory for a read of \(count) bytes")
        }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
        var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
        do { try read(into: &output, atOffset: offset) } catch {
            unsafe _ = output.finalize(for: buffer)
            unsafe free(memory)
            throw error
        }
        let filled = unsafe output.finalize(for: buffer)
        return unsafe Data(bytesNoCopy: memory, count: filled, deallocator: .free)
    }
}

/// How many of `count` bytes from `offset` on a document of `size` bytes has. Never traps, whatever they are.
func clampedCount(_ count: UInt64, at offset: UInt64, of size: UInt64) -> Int {
    guard offset < size else { return 0 }
    return Int(clamping: min(count, size - offset))
}

/// A 128-bit digest (FNV-1a) that tells documents and paths apart; it does not withstand forgery.
enum ContentDigest {
    static func hex(of text: String) -> String { hex(of: Data(text.utf8)) }

    static func hex(of data: Data) -> String {
        let prime: UInt128 = 1 << 88 | 0x13b
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in data { hash = (hash ^ UInt128(byte)) &* prime }
        let digits = Array("0123456789abcdef".utf8)
        let text = (0..<32).map {
            digits[Int(truncatingIfNeeded: hash >> UInt128(124 - 4 * $0)) & 15]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
