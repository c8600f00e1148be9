import CPDFium
import Foundation
import Synchronization

/// A provider's document for PDFium: the `FPDF_FILEACCESS` that `FPDF_LoadCustomDocument` takes.
///
/// ```swift
/// let access = try PDFiumFileAccess(CompressedDataProvider(url: url))
/// try withExtendedLifetime(access) {
///     guard let document = FPDF_LoadCustomDocument(
///         access.pointer.assumingMemoryBound(to: FPDF_FILEACCESS.self), nil)
///     else { throw access.error ?? MyError.pdfium(FPDF_GetLastError()) }
///     defer { FPDF_CloseDocument(document) }
///     …
/// }
/// ```
///
/// PDFium may copy the structure, and calls back through the copy until `FPDF_CloseDocument`: the object, to which the
/// structure does not hold a reference, must live until that returns.
///
/// PDFium demands that the document does not change while it is open. Of a `SnapshotProviding` provider the version
/// of the moment is read throughout, whatever is saved meanwhile. Any other provider must not be saved to; if its size
/// changes all the same, reads fail with `snapshotExpired`.
///
/// PDFium itself must not be called from two threads at once, but the callback may be: it has no state of its own
/// between calls, no cursor above all. Each call is one read straight into PDFium's memory.
@safe public final class PDFiumFileAccess: @unchecked Sendable {
    // SAFETY: written in `init` and freed in `deinit`, in between only read; the provider is Sendable.
    private let access: UnsafeMutablePointer<quire_pdfium_file_access>
    private let contents: any DataProviding & Sendable
    private let failure = Mutex<(any Error)?>(nil)

    /// Bytes of the document, fixed for the life of this object. A document of 0 bytes is no PDF, but is legal here.
    public let size: UInt64

    /// Takes the provider's present contents for a document.
    ///
    /// - Throws: `limitExceeded` if C's `unsigned long` cannot hold the size (from 4 GiB on where it has 32 bits);
    ///   `dataProviderIsInFlight`; what making the snapshot throws.
    public init(_ provider: any DataProviding & Sendable) throws {
        contents = try Upstream(provider).view()
        size = contents.size
        guard size <= Self.maximumSize, let length = CUnsignedLong(exactly: size) else {
            throw QuireError(
                .limitExceeded,
                "the document is \(size) bytes, PDFium takes at most \(Self.maximumSize)")
        }
        unsafe access = .allocate(capacity: 1)
        unsafe access.initialize(
            to: quire_pdfium_file_access(length: length, get_block: getBlock, param: nil))
        // SAFETY: PDFium hands this back to `getBlock` only while this object lives, as documented.
        unsafe access.pointee.param = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { unsafe access.deallocate() }

    // The length is an `unsigned long`, PDFium's own positions are signed.
    private static let maximumSize = min(UInt64(CUnsignedLong.max), UInt64(Int64.max))

    /// The `FPDF_FILEACCESS`; `assumingMemoryBound(to:)` gives it the type that your import of PDFium knows.
    ///
    /// It is valid, and what is copied out of it may be used, while this object lives.
    public var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(access) }

    /// Why the last read that failed did so; nil if none has. Later reads that succeed leave it.
    ///
    /// PDFium goes on without the bytes that it does not get: a page may look blank, a damaged document be opened in
    /// part. Look here after opening and after rendering.
    public var error: (any Error)? { failure.withLock { $0 } }

    /// `error`, which is then forgotten: the next one is of a later read.
    public func takeError() -> (any Error)? {
        failure.withLock { error in
            defer { error = nil }
            return error
        }
    }

    /// All of the bytes asked for, or false and an error.
    fileprivate func fill(
        _ buffer: UnsafeMutablePointer<UInt8>?, _ byteCount: CUnsignedLong,
        at position: CUnsignedLong
    ) -> Bool {
        do {
            let (offset, wanted) = (UInt64(position), UInt64(byteCount))
            guard offset <= size, wanted <= size - offset, let count = Int(exactly: wanted) else {
                throw QuireError(
                    .invalidArgument,
                    "PDFium asked for \(wanted) bytes at \(offset) of a document of \(size)")
            }
            if count == 0 { return true }
            guard let buffer = unsafe buffer else {
                throw QuireError(.invalidArgument, "PDFium gave no memory for \(wanted) bytes")
            }
            // SAFETY: PDFium's memory has as many bytes as it asks for.
            try unsafe contents.fill(
                UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset)
            return true
        } catch {
            failure.withLock { $0 = error }
            return false
        }
    }
}

/// `m_GetBlock`: non-zero if all of the bytes were given.
private func getBlock(
    _ param: UnsafeMutableRawPointer?, _ position: CUnsignedLong,
    _ buffer: UnsafeMutablePointer<UInt8>?, _ byteCount: CUnsignedLong
) -> CInt {
    guard let param = unsafe param else { return 0 }
    // SAFETY: `param` is the object that `init` put there, alive until the document is closed.
    let access = unsafe Unmanaged<PDFiumFileAccess>.fromOpaque(param).takeUnretainedValue()
    let isFilled = autoreleased { unsafe access.fill(buffer, byteCount, at: position) }
    return isFilled ? 1 : 0
}
