import Foundation

/// A page-aligned buffer: reads into one that begins inside a page are several times slower, plain or not.
@safe final class PageBuffer {
    // SAFETY: owned by this object alone; it leaves only as spans that do not outlive a call.
    private let memory: UnsafeMutableRawBufferPointer
    /// The bytes that the last `fill` left in it.
    private(set) var count = 0

    init(byteCount: Int) {
        unsafe memory = .allocate(byteCount: byteCount, alignment: Int(getpagesize()))
        // Touched once here, so that no page fault falls into a run.
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { unsafe memory.deallocate() }

    /// Replaces the contents with what `body` appends, `capacity` bytes at most.
    func fill(_ capacity: Int, _ body: (inout OutputRawSpan) throws -> Void) rethrows {
        // SAFETY: the slice checks the bounds, and the span does not outlive the call.
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<capacity])
        var output = unsafe OutputRawSpan(buffer: part, initializedCount: 0)
        do { try body(&output) } catch {
            unsafe _ = output.finalize(for: part)
            throw error
        }
        count = unsafe output.finalize(for: part)
    }

    /// Whether the contents are exactly `bytes`.
    func holds(_ bytes: Data) -> Bool {
        guard count == bytes.count else { return false }
        return unsafe bytes.withUnsafeBytes { expected in
            guard let mine = unsafe memory.baseAddress, let other = expected.baseAddress
            else { return count == 0 }
            // SAFETY: both have `count` bytes.
            return unsafe memcmp(mine, other, count) == 0
        }
    }
}
