import CPDFium
import Foundation

/// A sink for PDFium: the `FPDF_FILEWRITE` that `FPDF_SaveAsCopy` takes.
///
/// ```swift
/// let sink = try provider.createDataSink(options: [])
/// let writer = PDFiumFileWriter(sink)
/// let file = writer.pointer.assumingMemoryBound(to: FPDF_FILEWRITE.self)
/// guard FPDF_SaveAsCopy(document, file, FPDF_NO_INCREMENTAL) != 0, sink.finish() else { throw writer.error ?? … }
/// try provider.replaceContents(with: sink)
/// ```
///
/// With `FPDF_INCREMENTAL` PDFium writes the document as it was opened, and then its changes: give the writer an
/// `IncrementalSave`, which stores these alone. The document may be open over the same provider.
///
/// The structure does not hold a reference to the object, which must live until PDFium returns. It is used by one thread at a
/// time, as the sink is. It does not finish the sink.
@safe public final class PDFiumFileWriter {
    // SAFETY: written in `init` and freed in `deinit`, in between only read.
    private let file: UnsafeMutablePointer<quire_pdfium_file_write>
    private let sink: any DataSink

    /// Bytes that the sink has taken.
    public private(set) var byteCount: UInt64 = 0
    /// Why the first write that failed did so; nil if none has. PDFium says no more than that saving failed, and not
    /// always that: look here before a commit.
    public private(set) var error: (any Error)?

    /// Takes a sink to write to.
    public init(_ sink: any DataSink) {
        self.sink = sink
        unsafe file = .allocate(capacity: 1)
        unsafe file.initialize(
            to: quire_pdfium_file_write(version: 1, write_block: writeBlock, param: nil))
        // SAFETY: PDFium hands the structure back to `writeBlock` only while this object lives, as documented.
        unsafe file.pointee.param = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { unsafe file.deallocate() }

    /// The `FPDF_FILEWRITE`; `assumingMemoryBound(to:)` gives it the type that your import of PDFium knows. Valid while this
    /// object lives.
    public var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(file) }

    /// Whether the sink took all of the bytes.
    fileprivate func write(_ data: UnsafeRawPointer?, _ byteCount: CUnsignedLong) -> Bool {
        guard error == nil else { return false }
        do {
            guard let count = Int(exactly: byteCount), unsafe data != nil || count == 0 else {
                throw QuireError(.invalidArgument, "PDFium gave no memory for \(byteCount) bytes")
            }
            // SAFETY: PDFium's memory has `count` bytes, which are copied.
            let bytes = unsafe Data(UnsafeRawBufferPointer(start: data, count: count))
            if count > 0 { try sink.put(bytes) }
            self.byteCount += UInt64(count)
            return true
        } catch {
            self.error = error
            return false
        }
    }
}

/// `WriteBlock`: non-zero if all of the bytes were taken.
private func writeBlock(
    _ file: UnsafeMutablePointer<quire_pdfium_file_write>?, _ data: UnsafeRawPointer?,
    _ byteCount: CUnsignedLong
) -> CInt {
    guard let param = unsafe file?.pointee.param else { return 0 }
    // SAFETY: `param` is the object that `init` put there, alive until the save is done.
    let writer = unsafe Unmanaged<PDFiumFileWriter>.fromOpaque(param).takeUnretainedValue()
    return autoreleased { unsafe writer.write(data, byteCount) } ? 1 : 0
}
