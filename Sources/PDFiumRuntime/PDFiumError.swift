import Foundation

/// What PDFium, or the search for it, says is wrong.
package struct PDFiumError: Error, Sendable, CustomStringConvertible, LocalizedError {
    package enum Code: Sendable, Equatable {
        /// The shared library is not there, cannot be loaded, or lacks an entry point.
        case libraryNotFound
        /// FPDF_ERR_FILE: the file cannot be opened.
        case file
        /// FPDF_ERR_FORMAT: not a PDF, or damaged.
        case format
        /// FPDF_ERR_PASSWORD: a password is needed, or it is wrong.
        case password
        /// FPDF_ERR_SECURITY: an encryption that PDFium does not know.
        case security
        /// FPDF_ERR_PAGE, or a page number out of range.
        case page
        /// The bitmap would be too large, or there is no memory for it.
        case bitmap
        /// An annotation could not be made, or the document not be saved.
        case editing
        /// FPDF_ERR_UNKNOWN, or a number that is not documented.
        case unknown(UInt)
    }

    package let code: Code
    package let description: String
    package var errorDescription: String? { description }

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// The error of a number that FPDF_GetLastError gave.
    init(lastError number: UInt, opening name: String) {
        let (code, reason): (Code, String) =
            switch number {
            case 2: (.file, "the file cannot be opened")
            case 3: (.format, "it is not a PDF, or is damaged")
            case 4: (.password, "a password is needed, or the password is wrong")
            case 5: (.security, "its encryption is not supported")
            case 6: (.page, "a page is missing or damaged")
            default: (.unknown(number), "unknown error \(number)")
            }
        self.init(code, "PDFium cannot open \(name): \(reason)")
    }
}
