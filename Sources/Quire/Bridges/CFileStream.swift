import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    public import Musl
#elseif canImport(Darwin)
    public import Darwin
#endif

/// A provider's document as a C stream, for libraries that take a `FILE *`.
///
/// ```swift
/// let file = try CFileStream.open(over: CompressedDataProvider(url: url))
/// defer { fclose(file) }
/// ```
public enum CFileStream {
    #if canImport(Musl)
        /// C's `FILE *`.
        public typealias Pointer = OpaquePointer
    #else
        /// C's `FILE *`.
        public typealias Pointer = UnsafeMutablePointer<FILE>
    #endif

    /// Opens a stream that reads the provider's present contents, from any position.
    ///
    /// Of a `SnapshotProviding` provider the version of the moment is read until `fclose`, whatever is saved
    /// meanwhile; any other must not be saved to. The stream keeps what it needs of the provider.
    ///
    /// Streams are independent of one another, and each may be used from many threads, as any `FILE`. Positions
    /// have 64 bits. As in a file one may seek past the end, where there is nothing to read, but not before the
    /// beginning (`EINVAL`). A read that the provider fails sets the stream's error indicator and `errno` to `EIO`. C
    /// reads some KiB at a time; `setvbuf` asks for more.
    ///
    /// - Returns: the stream; close it with `fclose`.
    /// - Throws: `limitExceeded` if the document has more than 2^63 - 1 bytes; `dataProviderIsInFlight`; what making the
    ///   snapshot throws; `fileSystem` if C has no memory for the stream.
    public static func open(over provider: any DataProviding & Sendable) throws -> Pointer {
        let cookie = unsafe Unmanaged.passRetained(try CFileCookie(Upstream(provider).view()))
        // SAFETY: the stream owns the reference until its close function, which C calls once, gives it up.
        guard let file = unsafe makeStream(cookie.toOpaque()) else {
            let code = errno
            unsafe cookie.release()
            throw QuireError.system(code, "open a C stream over", provider.uid)
        }
        return unsafe file
    }
}

/// What a C stream reads, and where it is. C calls it from one thread at a time, under the stream's lock.
private final class CFileCookie {
    private let contents: any DataProviding & Sendable
    private let size: Int64
    private var position: Int64 = 0

    init(_ contents: any DataProviding & Sendable) throws {
        self.contents = contents
        guard let size = Int64(exactly: contents.size) else {
            throw QuireError(
                .limitExceeded,
                "the document is \(contents.size) bytes, a C stream has \(Int64.max)")
        }
        self.size = size
    }

    /// Reads as many bytes as there are and fit; nil on failure, at which the stream stays where it is.
    func read(into memory: UnsafeMutableRawPointer?, _ capacity: Int) -> Int? {
        let count = Int(clamping: min(Int64(clamping: capacity), max(0, size - position)))
        guard count > 0 else { return 0 }
        // SAFETY: C's memory has `capacity` bytes, and `count` is not more.
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
        do { try unsafe contents.fill(buffer, at: UInt64(position)) } catch { return nil }
        position += Int64(count)
        return count
    }

    /// Moves to an offset from the beginning, the position or the end; nil if that lies before the beginning.
    func seek(by offset: Int64, from whence: Int32) -> Int64? {
        let base: Int64
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = size
        default: return nil
        }
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return nil }
        position = target
        return target
    }
}

/// The object behind C's cookie.
private func object(_ cookie: UnsafeMutableRawPointer?) -> CFileCookie? {
    // SAFETY: the cookie is the reference that the stream owns, and C calls nothing after the close function.
    unsafe cookie.map { unsafe Unmanaged<CFileCookie>.fromOpaque($0).takeUnretainedValue() }
}

/// Gives up the stream's reference.
private func release(_ cookie: UnsafeMutableRawPointer?) -> Int32 {
    // SAFETY: called once, as the last of the functions.
    if let cookie = unsafe cookie { unsafe Unmanaged<CFileCookie>.fromOpaque(cookie).release() }
    return 0
}

private func failing<R: SignedInteger>(with code: Int32) -> R {
    errno = code
    return -1
}

#if canImport(Darwin)
    private func makeStream(_ cookie: UnsafeMutableRawPointer) -> CFileStream.Pointer? {
        unsafe funopen(
            cookie,
            { cookie, memory, capacity in
                let count = autoreleased {
                    unsafe object(cookie)?.read(into: memory, Int(capacity))
                }
                return count.map { Int32($0) } ?? failing(with: EIO)
            }, nil,
            { cookie, offset, whence in
                unsafe object(cookie)?.seek(by: offset, from: whence) ?? failing(with: EINVAL)
            }, { unsafe release($0) })
    }
#else
    private func makeStream(_ cookie: UnsafeMutableRawPointer) -> CFileStream.Pointer? {
        let functions = unsafe cookie_io_functions_t(
            read: { cookie, memory, capacity in
                unsafe object(cookie)?.read(into: memory, capacity) ?? failing(with: EIO)
            }, write: nil,
            seek: { cookie, offset, whence in
                guard let wanted = unsafe offset?.pointee,
                    let position = unsafe object(cookie)?.seek(by: Int64(wanted), from: whence)
                else { return failing(with: EINVAL) }
                unsafe offset?.pointee = .init(position)
                return 0
            }, close: { unsafe release($0) })
        return unsafe fopencookie(cookie, "r", functions)
    }
#endif
