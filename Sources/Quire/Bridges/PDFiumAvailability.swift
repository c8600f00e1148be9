import CPDFium
import Foundation
import Synchronization

/// PDFium's wishes of what it will read next, for a store: the `FX_FILEAVAIL` and the `FX_DOWNLOADHINTS` of fpdf_dataavail.h.
///
/// PDFium's availability functions say which parts of a document a page needs before it is loaded. Here every range counts
/// as missing until PDFium has asked for it; it is then loaded into the store's cache in the background, and the next call finds
/// it available.
///
/// ```swift
/// let availability = PDFiumAvailability(provider)         // beside a PDFiumFileAccess of the same provider
/// let avail = FPDFAvail_Create(fileAvail, fileAccess)     // availability.fileAvail and access.pointer, typed
/// while FPDFAvail_IsDocAvail(avail, hints) == PDF_DATA_NOTAVAIL {}
/// let document = FPDFAvail_GetDocument(avail, nil)
/// while FPDFAvail_IsPageAvail(avail, 0, hints) == PDF_DATA_NOTAVAIL {}
/// ```
///
/// Nothing depends on it for right bytes: a range that was never asked for, or is not loaded yet, is read when PDFium reads it.
/// What is loaded is as much as fits in half of the cache, see `CompressedDataProvider.prefetch(size:atOffset:)`.
///
/// The structures do not hold a reference to the object, which must live until `FPDFAvail_Destroy` and `FPDF_CloseDocument`.
@safe public final class PDFiumAvailability: @unchecked Sendable {
    // SAFETY: both are written in `init` and freed in `deinit`, in between only read.
    private let avail: UnsafeMutablePointer<quire_pdfium_file_avail>
    private let hints: UnsafeMutablePointer<quire_pdfium_download_hints>
    private let provider: CompressedDataProvider
    private let wanted = Mutex(RangeSet<UInt64>())

    /// Loads ahead for this store.
    public init(_ provider: CompressedDataProvider) {
        self.provider = provider
        unsafe avail = .allocate(capacity: 1)
        unsafe hints = .allocate(capacity: 1)
        unsafe avail.initialize(
            to: quire_pdfium_file_avail(version: 1, is_data_avail: isDataAvail, param: nil))
        unsafe hints.initialize(
            to: quire_pdfium_download_hints(version: 1, add_segment: addSegment, param: nil))
        // SAFETY: PDFium hands these back to the callbacks only while this object lives, as documented.
        unsafe avail.pointee.param = Unmanaged.passUnretained(self).toOpaque()
        unsafe hints.pointee.param = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        unsafe avail.deallocate()
        unsafe hints.deallocate()
    }

    /// The `FX_FILEAVAIL`; `assumingMemoryBound(to:)` gives it the type that your import of PDFium knows.
    public var fileAvail: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(avail) }
    /// The `FX_DOWNLOADHINTS`, likewise.
    public var downloadHints: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(hints) }

    fileprivate func isAvailable(_ offset: Int, _ size: Int) -> Bool {
        guard let range = range(offset, size) else { return true }
        return wanted.withLock { $0.isSuperset(of: RangeSet(range)) }
    }

    fileprivate func want(_ offset: Int, _ size: Int) {
        guard let range = range(offset, size) else { return }
        wanted.withLock { $0.insert(contentsOf: range) }
        provider.prefetch(size: UInt64(range.count), atOffset: range.lowerBound)
    }

    /// The part of a range that the document has; nil if that is nothing.
    private func range(_ offset: Int, _ size: Int) -> Range<UInt64>? {
        // A size_t: what is negative here is beyond any document.
        guard offset >= 0 else { return nil }
        let start = UInt64(offset)
        let count = size < 0 ? .max : UInt64(size)
        let end = min(provider.size, start + min(count, UInt64.max - start))
        return start < end ? start..<end : nil
    }
}

/// `IsDataAvail`: non-zero if it is, or if there is nothing to be.
private func isDataAvail(
    _ avail: UnsafeMutablePointer<quire_pdfium_file_avail>?, _ offset: Int, _ size: Int
) -> CInt {
    guard let availability = unsafe object(avail?.pointee.param) else { return 1 }
    return availability.isAvailable(offset, size) ? 1 : 0
}

/// `AddSegment`.
private func addSegment(
    _ hints: UnsafeMutablePointer<quire_pdfium_download_hints>?, _ offset: Int, _ size: Int
) {
    unsafe object(hints?.pointee.param)?.want(offset, size)
}

private func object(_ param: UnsafeMutableRawPointer?) -> PDFiumAvailability? {
    // SAFETY: `param` is the object that `init` put there, alive as long as PDFium has the structures.
    unsafe param.map { unsafe Unmanaged<PDFiumAvailability>.fromOpaque($0).takeUnretainedValue() }
}
