/// A rendered page.
package struct PDFiumBitmap: Equatable, Sendable {
    /// Pixels of a row.
    package let width: Int
    /// Rows, the top one first.
    package let height: Int
    /// Blue, green, red and alpha of each pixel, without gaps between the rows.
    package let bgra: [UInt8]

    package init(width: Int, height: Int, bgra: [UInt8]) {
        precondition(bgra.count == width * height * 4, "four bytes a pixel")
        self.width = width
        self.height = height
        self.bgra = bgra
    }

    /// Takes the pixels out of rows that are `stride` bytes apart.
    init(width: Int, height: Int, copying memory: UnsafeRawBufferPointer, stride: Int) {
        var bgra: [UInt8] = []
        bgra.reserveCapacity(width * height * 4)
        for row in 0..<height {
            // SAFETY: the slice checks the bounds.
            unsafe bgra.append(contentsOf: memory[row * stride..<row * stride + width * 4])
        }
        self.init(width: width, height: height, bgra: bgra)
    }
}
