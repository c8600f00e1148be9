import Foundation

extension DataProviding {
    /// Fills all of `memory`, which is C's, with the bytes from `offset` on. No pointer to it is kept.
    ///
    /// - Throws: `truncated` if there are fewer; the memory may then hold anything.
    package func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        // SAFETY: the span covers the memory that the caller vouches for, and ends with this call.
        var output = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
        do { try readAll(into: &output, at: offset) } catch {
            unsafe _ = output.finalize(for: memory)
            throw error
        }
        unsafe _ = output.finalize(for: memory)
    }
}

/// Runs `body` in an autorelease pool, where there are such: a C library's thread may have none, and what a
/// provider autoreleases would then stay until the thread ends.
func autoreleased<R>(_ body: () -> R) -> R {
    #if canImport(Darwin)
        autoreleasepool(invoking: body)
    #else
        body()
    #endif
}
