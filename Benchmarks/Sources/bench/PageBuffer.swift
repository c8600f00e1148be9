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

    /// Replaces the contents with what `body` appends.
    func fill(_ body: (inout OutputRawSpan) throws -> Void) rethrows {
        var output = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
        do { try body(&output) } catch {
            unsafe _ = output.finalize(for: memory)
            throw error
        }
        count = unsafe output.finalize(for: memory)
    }

    /// Whether the contents are exactly `bytes`.
    func holds(_ bytes: Data) -> Bool {
        unsafe Data(UnsafeRawBufferPointer(rebasing: memory[..<count])) == bytes
    }
}
