import Foundation

/// One thing that is asked of a source.
struct Read {
    var offset: UInt64
    var size: Int
}

/// What PDFium asked of one document in one session.
enum Trace {
    /// The sessions that pdfium-bench records.
    enum Session: String, CaseIterable { case open, first, all, jumps }

    /// Reads a trace: a line with the document's size, then one line a read with offset and size.
    static func load(_ url: URL, of document: Document) throws -> [Read] {
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        guard lines.first == "quire-trace 1 \(document.data.count)" else {
            throw BenchError("\(url.path) is not a trace of \(document.name)")
        }
        return try lines.dropFirst().map { line in
            let numbers = line.split(separator: " ")
            guard numbers.count == 2, let offset = UInt64(numbers[0]), let size = Int(numbers[1])
            else { throw BenchError("\(url.path): what is the line \(line)?") }
            return Read(offset: offset, size: size)
        }
    }
}
