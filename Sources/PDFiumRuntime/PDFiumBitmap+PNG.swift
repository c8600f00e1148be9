import CZlib
package import Foundation

extension PDFiumBitmap {
    /// The bitmap as a PNG file, of 8-bit RGBA (ISO/IEC 15948).
    package func pngData() throws -> Data {
        var header: [UInt8] = []
        header.append(bigEndian: UInt32(width))
        header.append(bigEndian: UInt32(height))
        header += [8, 6, 0, 0, 0]  // 8 bits, RGBA, deflate, filters, rows in order
        var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        png.append(chunk: "IHDR", header)
        png.append(chunk: "IDAT", try Self.deflated(scanlines))
        png.append(chunk: "IEND", [])
        return Data(png)
    }

    /// The rows in RGBA, each behind the number of its filter: 0, none.
    private var scanlines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(height * (1 + width * 4))
        for row in 0..<height {
            lines.append(0)
            for pixel in stride(from: row * width * 4, to: (row + 1) * width * 4, by: 4) {
                lines.append(bgra[pixel + 2])
                lines.append(bgra[pixel + 1])
                lines.append(bgra[pixel])
                lines.append(bgra[pixel + 3])
            }
        }
        return lines
    }

    private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
        var byteCount = compressBound(uLong(bytes.count))
        var status: Int32 = Z_OK
        let deflated = unsafe [UInt8](unsafeUninitializedCapacity: Int(byteCount)) {
            buffer, initialized in
            // SAFETY: zlib writes at most the bound, and says how much it has written.
            status = unsafe compress(buffer.baseAddress, &byteCount, bytes, uLong(bytes.count))
            initialized = status == Z_OK ? Int(byteCount) : 0
        }
        guard status == Z_OK else {
            throw PDFiumError(.bitmap, "zlib could not deflate the image (\(status))")
        }
        return deflated
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: UInt32) {
        for shift in stride(from: 24, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    fileprivate mutating func append(chunk type: String, _ contents: [UInt8]) {
        let checked = type.utf8 + contents
        append(bigEndian: UInt32(contents.count))
        self += checked
        // SAFETY: zlib reads the bytes during the call.
        append(bigEndian: unsafe UInt32(truncatingIfNeeded: crc32_z(0, checked, checked.count)))
    }
}
