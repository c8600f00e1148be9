import CPDFium
package import Foundation
package import Quire

/// A document that PDFium has open.
///
/// Of two documents one may be open twice, over one provider or over two; whatever they read from is kept until
/// PDFium has closed them.
@safe package final class PDFiumDocument: @unchecked Sendable {
    // SAFETY: PDFium's handles are used under the library's lock only.
    let handle: UnsafeMutableRawPointer
    // PDFium draws the values of form fields only where there is an environment to fill them in; without
    // one (nil) they are left out.
    private let form: UnsafeMutableRawPointer?
    private let formInfo: UnsafeMutablePointer<quire_pdfium_form_info>
    let library: PDFiumLibrary
    let source: Source

    /// What PDFium calls back or points into until the document is closed.
    enum Source {
        case provider(PDFiumFileAccess)
        case availability(PDFiumAvailabilitySession)
        case memory(NSData)
        case file
    }

    /// Opens a provider's document through `PDFiumFileAccess`.
    ///
    /// - Throws: the provider's error if a read failed; `PDFiumError`; those of `PDFiumFileAccess`.
    package convenience init(
        _ provider: any DataProviding & Sendable, password: String? = nil,
        in library: PDFiumLibrary
    ) throws {
        let access = try PDFiumFileAccess(provider)
        try unsafe self.init(library, .provider(access), name: "the document") { functions in
            // SAFETY: the structures are one and the same, and the access is kept until after the closing.
            unsafe functions.loadCustomDocument(
                access.pointer.assumingMemoryBound(to: quire_pdfium_file_access.self), password)
        }
    }

    /// Opens a plain file by PDFium's own means.
    package convenience init(
        path: String, password: String? = nil, in library: PDFiumLibrary
    ) throws {
        try unsafe self.init(library, .file, name: path) { unsafe $0.loadDocument(path, password) }
    }

    /// Opens a plain document in memory.
    package convenience init(
        memory: Data, password: String? = nil, in library: PDFiumLibrary
    ) throws {
        let bytes = NSData(data: memory)
        try unsafe self.init(library, .memory(bytes), name: "the document in memory") {
            // SAFETY: the bytes do not move, and are kept until after the closing.
            unsafe $0.loadMemDocument(bytes.bytes, bytes.length, password)
        }
    }

    init(
        _ library: PDFiumLibrary, _ source: Source, name: String,
        _ load: (Functions) -> UnsafeMutableRawPointer?
    ) throws {
        self.library = library
        self.source = source
        let info = UnsafeMutablePointer<quire_pdfium_form_info>.allocate(capacity: 1)
        unsafe info.initialize(to: quire_pdfium_form_info())
        unsafe info.pointee.version = 2
        let (loaded, number, form) = unsafe library.withFunctions { functions in
            let loaded = unsafe load(functions)
            let number = functions.lastError()
            return unsafe (loaded, number, loaded.flatMap { unsafe functions.initForm($0, info) })
        }
        guard let loaded = unsafe loaded else {
            unsafe info.deallocate()
            // A read that failed explains more than the damage that PDFium saw for it.
            try source.throwReadError()
            throw PDFiumError(lastError: UInt(number), opening: name)
        }
        unsafe handle = loaded
        unsafe self.form = form
        unsafe formInfo = info
        // PDFium may have gone around the gap. Thrown here, the error closes what is open.
        try source.throwReadError()
    }

    deinit {
        library.withFunctions { functions in
            if let form = unsafe form { unsafe functions.exitForm(form) }
            unsafe functions.closeDocument(handle)
        }
        unsafe formInfo.deallocate()
        withExtendedLifetime(source) {}
    }

    /// Pages of the document.
    package var pageCount: Int { library.withFunctions { unsafe Int($0.pageCount(handle)) } }

    /// Width and height of a page in points, of 1/72 inch.
    ///
    /// - Parameter page: its number, from 0.
    package func pageSize(_ page: Int) throws -> (width: Double, height: Double) {
        try unsafe withPage(page) { functions, page in
            unsafe (functions.pageWidth(page), functions.pageHeight(page))
        }
    }

    /// Draws a page with its annotations and form fields on white.
    ///
    /// - Parameters:
    ///   - page: its number, from 0.
    ///   - scale: pixels for a point.
    /// - Throws: the provider's error if a read failed, rather than a page with gaps; `PDFiumError`.
    package func render(page: Int, scale: Double) throws -> PDFiumBitmap {
        try unsafe withPage(page) { functions, page in
            let width = try unsafe Self.pixels(functions.pageWidth(page) * scale)
            let height = try unsafe Self.pixels(functions.pageHeight(page) * scale)
            guard let bitmap = unsafe functions.createBitmap(width, height, 1) else {
                throw PDFiumError(.bitmap, "no memory for \(width) x \(height) pixels")
            }
            defer { unsafe functions.destroyBitmap(bitmap) }
            let (white, annotations): (CUnsignedLong, CInt) = (0xFFFF_FFFF, 0x01)
            unsafe _ = functions.fillRect(bitmap, 0, 0, width, height, white)
            unsafe functions.renderPageBitmap(bitmap, page, 0, 0, width, height, 0, annotations)
            if let form = unsafe form {
                unsafe functions.drawForm(
                    form, bitmap, page, 0, 0, width, height, 0, annotations)
            }
            let stride = unsafe Int(functions.bitmapStride(bitmap))
            // SAFETY: the bitmap has `height` rows of `stride` bytes, `width` pixels of 4 bytes in each.
            let memory = unsafe UnsafeRawBufferPointer(
                start: functions.bitmapBuffer(bitmap), count: stride * Int(height))
            return unsafe PDFiumBitmap(
                width: Int(width), height: Int(height), copying: memory, stride: stride)
        }
    }

    /// 1...32,767 pixels, so that no product of two overflows.
    private static func pixels(_ extent: Double) throws -> CInt {
        let rounded = extent.rounded()
        guard rounded <= 32_767 else {
            throw PDFiumError(.bitmap, "a side would have \(rounded) pixels, allowed are 32767")
        }
        return CInt(max(1, rounded))
    }

    func withPage<R>(
        _ number: Int, _ body: (Functions, UnsafeMutableRawPointer) throws -> R
    ) throws -> R {
        try library.withFunctions { functions in
            let pageCount = unsafe Int(functions.pageCount(handle))
            guard 0..<pageCount ~= number else {
                throw PDFiumError(.page, "the page index is \(number), of \(pageCount) pages")
            }
            guard let page = unsafe functions.loadPage(handle, CInt(number)) else {
                try source.throwReadError()
                throw PDFiumError(.page, "PDFium cannot load page \(number + 1)")
            }
            defer { unsafe functions.closePage(page) }
            if let form = unsafe form { unsafe functions.onAfterLoadPage(page, form) }
            defer { if let form = unsafe form { unsafe functions.onBeforeClosePage(page, form) } }
            let result = try unsafe body(functions, page)
            try source.throwReadError()
            return result
        }
    }
}

extension PDFiumDocument.Source {
    /// Throws why a read failed since the last call.
    func throwReadError() throws {
        let access: PDFiumFileAccess? =
            switch self {
            case .provider(let access): access
            case .availability(let session): session.access
            case .memory, .file: nil
            }
        if let error = access?.takeError() { throw error }
    }
}
