import Foundation
import PDFiumRuntime
import Testing

@testable import Quire

@Suite struct PNGTests {
    @Test func pixelsAndChecksumsAreRight() throws {
        let (width, height) = (3, 2)
        let bgra = [UInt8](0..<24)
        let bitmap = PDFiumBitmap(width: width, height: height, bgra: bgra)
        let png = [UInt8](try bitmap.pngData())
        #expect(png.starts(with: [0x89] + "PNG\r\n\u{1A}\n".utf8))

        var chunks: [String: [UInt8]] = [:]
        var position = 8
        while position < png.count {
            let count = bigEndian(png[position..<position + 4])
            let checked = [UInt8](png[position + 4..<position + 8 + count])
            position += 12 + count
            #expect(Int(checksum(checked)) == bigEndian(png[position - 4..<position]))
            chunks[String(decoding: checked.prefix(4), as: UTF8.self)] = [UInt8](
                checked.dropFirst(4))
        }
        #expect(chunks["IHDR"] == [0, 0, 0, 3, 0, 0, 0, 2, 8, 6, 0, 0, 0])
        #expect(chunks["IEND"] == [])

        // RFC 1950: two bytes of header and an Adler-32 around the deflate data.
        let zlib = try #require(chunks["IDAT"])
        let rows = try inflated([UInt8](zlib.dropFirst(2).dropLast(4)), byteCount: 26)
        let first: [UInt8] = [0, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11]
        let second: [UInt8] = [0, 14, 13, 12, 15, 18, 17, 16, 19, 22, 21, 20, 23]
        #expect(rows == first + second)
    }

    private func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private func inflated(_ bytes: [UInt8], byteCount: Int) throws -> [UInt8] {
        let buffer = AlignedBuffer(capacity: byteCount)
        try buffer.fill(upTo: byteCount) { output in
            // SAFETY: bytes have no padding.
            try unsafe Codec.standard.inflate(bytes.span.bytes, into: &output)
        }
        return buffer.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
    }
}
