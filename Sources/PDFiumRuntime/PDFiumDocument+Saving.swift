import CPDFium
package import Quire

extension PDFiumDocument {
    /// Adds a filled square as an annotation. It shows in documents that are opened from a save.
    ///
    /// - Parameters:
    ///   - page: its number, from 0.
    ///   - x, y: the lower left corner, in points.
    package func addSquare(page: Int, x: Float, y: Float, side: Float) throws {
        // FPDF_ANNOT_SQUARE, FPDFANNOT_COLORTYPE_InteriorColor
        let (square, interior): (CInt, CInt) = (5, 1)
        try unsafe withPage(page) { functions, page in
            guard let annotation = unsafe functions.createAnnotation(page, square) else {
                throw PDFiumError(.editing, "PDFium cannot make an annotation")
            }
            defer { unsafe functions.closeAnnotation(annotation) }
            var rect = quire_pdfium_rect(left: x, top: y + side, right: x + side, bottom: y)
            guard unsafe functions.setAnnotationRect(annotation, &rect) != 0,
                unsafe functions.setAnnotationColor(annotation, interior, 255, 0, 0, 255) != 0
            else { throw PDFiumError(.editing, "PDFium cannot place an annotation") }
        }
    }

    /// Writes the document, with its changes, to a sink by `FPDF_SaveAsCopy`.
    ///
    /// - Parameter isIncremental: whether the document is written as it was opened, and the changes behind it.
    /// - Throws: the error of the sink, or of the provider that is read meanwhile; `PDFiumError`.
    package func save(to writer: PDFiumFileWriter, isIncremental: Bool) throws {
        let flags: CUnsignedLong = isIncremental ? 1 : 2  // FPDF_INCREMENTAL, FPDF_NO_INCREMENTAL
        let isSaved = library.withFunctions { functions in
            // SAFETY: the structures are one and the same, and the writer lives until the call returns.
            unsafe functions.saveAsCopy(
                handle, writer.pointer.assumingMemoryBound(to: quire_pdfium_file_write.self), flags)
        }
        if let error = writer.error { throw error }
        try source.throwReadError()
        guard isSaved != 0 else { throw PDFiumError(.editing, "PDFium cannot save the document") }
    }
}
