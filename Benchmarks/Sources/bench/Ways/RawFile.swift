import Foundation

/// A file by system calls alone.
final class RawFile: Source {
    let descriptor: Int32

    /// Opens the file and asks for its size, as every reader has to.
    init(_ url: URL, _ flags: Int32 = O_RDONLY) throws {
        descriptor = try check(unsafe open(url.path, flags | O_CLOEXEC), "open")
        _ = try size()
    }

    deinit { close(descriptor) }

    func size() throws -> Int {
        var status = stat()
        try check(unsafe fstat(descriptor, &status), "fstat")
        return Int(status.st_size)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try unsafe output.withUnsafeMutableBytes { buffer, initialized in
            // SAFETY: pread writes at most `buffer.count` bytes, during the call.
            initialized = try check(
                unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)), "pread")
        }
    }

    /// Appends `data` and makes it durable.
    func append(_ data: Data) throws {
        let end = off_t(try size())
        let count = unsafe data.withUnsafeBytes { bytes in
            // SAFETY: pwrite reads exactly the buffer, during the call.
            unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, end)
        }
        guard count == data.count else { throw BenchError("pwrite failed or was short") }
        try check(fsync(descriptor), "fsync")
    }
}

@discardableResult
private func check<R: SignedInteger>(_ result: R, _ call: String) throws -> R {
    guard result >= 0 else { throw BenchError("\(call) failed, errno \(errno)") }
    return result
}

/// What stops a benchmark.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
