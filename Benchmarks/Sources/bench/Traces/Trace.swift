import Foundation

/// One thing that is asked of a source.
struct Read {
    var offset: UInt64
    var size: Int
}

/// What PDFium asked of one document in one session.
struct Trace {
    /// The sessions that pdfium-bench records.
    enum Session: String, CaseIterable { case open, first, all, jumps }

    /// Pages that were drawn.
    let pageCount: Int
    let reads: [Read]

    /// Reads a trace: a line with the document's size and the pages, then one line a read with offset and size.
    init(_ url: URL, of document: Document) throws {
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let heading = lines.first?.split(separator: " ") ?? []
        guard heading.count == 4, heading[..<3] == ["quire-trace", "2", "\(document.data.count)"],
            let pageCount = Int(heading[3])
        else { throw BenchError("\(url.path) is not a trace of \(document.name)") }
        self.pageCount = pageCount
        reads = try lines.dropFirst().map { line in
            let numbers = line.split(separator: " ")
            guard numbers.count == 2, let offset = UInt64(numbers[0]), let size = Int(numbers[1])
            else { throw BenchError("\(url.path): what is the line \(line)?") }
            return Read(offset: offset, size: size)
        }
    }
}
