import CPDFium
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// PDFium, loaded while the program runs and never unloaded: nothing of Quire is linked with it.
///
/// PDFium keeps global state and may be in one thread at a time only. Everything that calls it goes through one lock,
/// which is held while PDFium reads from a provider.
@safe package final class PDFiumLibrary: @unchecked Sendable {
    // SAFETY: written in `init`, and called under the lock.
    let functions: Functions
    /// Where the library was found.
    package let path: String
    private let lock = NSLock()

    private static let loaded = Mutex<[String: PDFiumLibrary]>([:])

    /// Loads and initialises the library; a second call with the same path gives the same object.
    ///
    /// - Parameter path: where it is; nil searches, see `locate()`.
    /// - Throws: `PDFiumError` with code `libraryNotFound`.
    package static func load(_ path: String? = nil) throws -> PDFiumLibrary {
        guard let path = path ?? locate() else {
            throw PDFiumError(
                .libraryNotFound,
                "PDFium is not here: run Scripts/fetch-pdfium.sh, or set QUIRE_PDFIUM to its path")
        }
        return try loaded.withLock { loaded in
            if let library = loaded[path] { return library }
            let library = try PDFiumLibrary(path: path)
            loaded[path] = library
            return library
        }
    }

    /// The path in the environment's `QUIRE_PDFIUM`; else that of `.build/pdfium/libpdfium.so` in the current folder
    /// or the nearest one above it that has it; else nil.
    package static func locate() -> String? {
        if let path = ProcessInfo.processInfo.environment["QUIRE_PDFIUM"], !path.isEmpty {
            return path
        }
        var folder = URL(filePath: FileManager.default.currentDirectoryPath)
        while true {
            let candidate = folder.appending(path: ".build/pdfium/\(fileName)").path
            if FileManager.default.fileExists(atPath: candidate) { return candidate }
            let parent = folder.deletingLastPathComponent()
            guard parent.path != folder.path, folder.path != "/" else { return nil }
            folder = parent
        }
    }

    #if canImport(Darwin)
        private static let fileName = "libpdfium.dylib"
    #else
        private static let fileName = "libpdfium.so"
    #endif

    private init(path: String) throws {
        self.path = path
        // SAFETY: loading runs the library's initialisers; which library that is, is the user's choice.
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
            throw PDFiumError(.libraryNotFound, "cannot load PDFium from \(path): \(reason)")
        }
        functions = try unsafe Functions(handle, path: path)
        functions.initialize()
    }

    /// Calls `body` with the functions while no other thread is in PDFium.
    func withFunctions<R>(_ body: (Functions) throws -> R) rethrows -> R {
        try lock.withLock { try body(functions) }
    }
}

/// The entry points of fpdfview.h, fpdf_formfill.h, fpdf_save.h, fpdf_annot.h and fpdf_dataavail.h that are used. Calling them is unsafe, having them is not.
@safe struct Functions {
    let initialize: quire_pdfium_init
    let loadCustomDocument: quire_pdfium_load_custom
    let loadDocument: quire_pdfium_load_file
    let loadMemDocument: quire_pdfium_load_memory
    let closeDocument: quire_pdfium_close
    let lastError: quire_pdfium_last_error
    let pageCount: quire_pdfium_page_count
    let loadPage: quire_pdfium_load_page
    let closePage: quire_pdfium_close
    let pageWidth: quire_pdfium_page_extent
    let pageHeight: quire_pdfium_page_extent
    let createBitmap: quire_pdfium_bitmap_create
    let destroyBitmap: quire_pdfium_close
    let fillRect: quire_pdfium_bitmap_fill
    let bitmapBuffer: quire_pdfium_bitmap_buffer
    let bitmapStride: quire_pdfium_bitmap_stride
    let renderPageBitmap: quire_pdfium_render
    let initForm: quire_pdfium_init_form
    let exitForm: quire_pdfium_close
    let onAfterLoadPage: quire_pdfium_page_event
    let onBeforeClosePage: quire_pdfium_page_event
    let drawForm: quire_pdfium_draw_form
    let saveAsCopy: quire_pdfium_save
    let createAnnotation: quire_pdfium_create_annotation
    let closeAnnotation: quire_pdfium_close
    let setAnnotationRect: quire_pdfium_set_annotation_rect
    let setAnnotationColor: quire_pdfium_set_annotation_color
    let createAvail: quire_pdfium_create_avail
    let destroyAvail: quire_pdfium_close
    let isDocumentAvail: quire_pdfium_document_avail
    let availDocument: quire_pdfium_avail_document
    let isPageAvail: quire_pdfium_page_avail

    init(_ handle: UnsafeMutableRawPointer, path: String) throws {
        func find<F>(_ name: String, as type: F.Type = F.self) throws -> F {
            guard let address = unsafe dlsym(handle, name) else {
                throw PDFiumError(.libraryNotFound, "\(path) has no \(name): it is not PDFium")
            }
            // SAFETY: the types in quire_pdfium.h are those that PDFium's headers give functions of these names.
            return unsafe unsafeBitCast(address, to: type)
        }
        initialize = try find("FPDF_InitLibrary")
        unsafe loadCustomDocument = try find("FPDF_LoadCustomDocument")
        unsafe loadDocument = try find("FPDF_LoadDocument")
        unsafe loadMemDocument = try find("FPDF_LoadMemDocument64")
        unsafe closeDocument = try find("FPDF_CloseDocument")
        lastError = try find("FPDF_GetLastError")
        unsafe pageCount = try find("FPDF_GetPageCount")
        unsafe loadPage = try find("FPDF_LoadPage")
        unsafe closePage = try find("FPDF_ClosePage")
        unsafe pageWidth = try find("FPDF_GetPageWidth")
        unsafe pageHeight = try find("FPDF_GetPageHeight")
        unsafe createBitmap = try find("FPDFBitmap_Create")
        unsafe destroyBitmap = try find("FPDFBitmap_Destroy")
        unsafe fillRect = try find("FPDFBitmap_FillRect")
        unsafe bitmapBuffer = try find("FPDFBitmap_GetBuffer")
        unsafe bitmapStride = try find("FPDFBitmap_GetStride")
        unsafe renderPageBitmap = try find("FPDF_RenderPageBitmap")
        unsafe initForm = try find("FPDFDOC_InitFormFillEnvironment")
        unsafe exitForm = try find("FPDFDOC_ExitFormFillEnvironment")
        unsafe onAfterLoadPage = try find("FORM_OnAfterLoadPage")
        unsafe onBeforeClosePage = try find("FORM_OnBeforeClosePage")
        unsafe drawForm = try find("FPDF_FFLDraw")
        unsafe saveAsCopy = try find("FPDF_SaveAsCopy")
        unsafe createAnnotation = try find("FPDFPage_CreateAnnot")
        unsafe closeAnnotation = try find("FPDFPage_CloseAnnot")
        unsafe setAnnotationRect = try find("FPDFAnnot_SetRect")
        unsafe setAnnotationColor = try find("FPDFAnnot_SetColor")
        unsafe createAvail = try find("FPDFAvail_Create")
        unsafe destroyAvail = try find("FPDFAvail_Destroy")
        unsafe isDocumentAvail = try find("FPDFAvail_IsDocAvail")
        unsafe availDocument = try find("FPDFAvail_GetDocument")
        unsafe isPageAvail = try find("FPDFAvail_IsPageAvail")
    }
}
