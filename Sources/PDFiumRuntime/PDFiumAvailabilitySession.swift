import CPDFium
package import Quire

/// An `FPDF_AVAIL`: says of a document that is not open yet, and of its pages, what they need.
@safe package final class PDFiumAvailabilitySession: @unchecked Sendable {
    // SAFETY: PDFium's handle is used under the library's lock only.
    private let avail: UnsafeMutableRawPointer
    let access: PDFiumFileAccess
    private let availability: PDFiumAvailability
    private let library: PDFiumLibrary

    /// What `FPDFAvail_IsDocAvail` and `FPDFAvail_IsPageAvail` say.
    package enum Answer: CInt, Sendable {
        case error = -1
        case notAvailable = 0
        case available = 1
    }

    /// Begins with a document of which nothing is available.
    package init(_ provider: CompressedDataProvider, in library: PDFiumLibrary) throws {
        access = try PDFiumFileAccess(provider)
        availability = PDFiumAvailability(provider)
        self.library = library
        let (access, availability) = (access, availability)
        let avail = unsafe library.withFunctions { functions in
            // SAFETY: the structures are one and the same, and are kept until after `destroyAvail`.
            unsafe functions.createAvail(
                availability.fileAvail.assumingMemoryBound(to: quire_pdfium_file_avail.self),
                access.pointer.assumingMemoryBound(to: quire_pdfium_file_access.self))
        }
        guard let avail = unsafe avail else {
            throw PDFiumError(.unknown(0), "PDFium has no memory")
        }
        unsafe self.avail = avail
    }

    deinit { library.withFunctions { unsafe $0.destroyAvail(avail) } }

    private var hints: UnsafeMutablePointer<quire_pdfium_download_hints> {
        unsafe availability.downloadHints.assumingMemoryBound(
            to: quire_pdfium_download_hints.self)
    }

    /// Whether the document can be opened; if not, what is missing is asked for.
    package func document() -> Answer {
        let answer = library.withFunctions { unsafe $0.isDocumentAvail(avail, hints) }
        return Answer(rawValue: answer) ?? .error
    }

    /// Whether a page can be loaded, numbered from 0; after the document has been opened.
    package func page(_ page: Int) -> Answer {
        let answer = library.withFunctions { unsafe $0.isPageAvail(avail, CInt(page), hints) }
        return Answer(rawValue: answer) ?? .error
    }

    /// Opens the document.
    package func open() throws -> PDFiumDocument {
        try unsafe PDFiumDocument(library, .availability(self), name: "the document") {
            unsafe $0.availDocument(avail, nil)
        }
    }
}
