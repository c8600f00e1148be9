import Foundation
import PDFiumRuntime
import Quire

let help = """
    Draws a page of a PDF that is kept in a Quire store.

    Usage: RenderPage STORE PAGE OUT.png [--dpi DPI]

      STORE   the store
      PAGE    the number of the page, from 1
      --dpi   pixels per inch, 1 to 2400; default 96

    PDFium is loaded from the path in QUIRE_PDFIUM, or from where Scripts/fetch-pdfium.sh puts it.
    """

struct UsageError: Error { var message: String }

struct Invocation {
    let store: URL
    let page: Int
    let image: URL
    private(set) var dpi = 96.0

    init(_ arguments: [String]) throws(UsageError) {
        var words: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--dpi" {
                guard let value = rest.popFirst(), let dpi = Double(value), 1...2400 ~= dpi else {
                    throw UsageError(message: "--dpi takes a number from 1 to 2400")
                }
                self.dpi = dpi
            } else if word.hasPrefix("-") {
                throw UsageError(message: "there is no option \(word)")
            } else {
                words.append(word)
            }
        }
        guard words.count == 3 else {
            throw UsageError(message: "STORE, PAGE and OUT.png are needed")
        }
        guard let page = Int(words[1]), page > 0 else {
            throw UsageError(message: "PAGE is \(words[1]), not a number from 1 on")
        }
        store = URL(filePath: words[0])
        self.page = page
        image = URL(filePath: words[2])
    }

    func run() throws {
        let file = CountingProvider(FileDataProvider(fileURL: store))
        let document = CountingProvider(try CompressedDataProvider(file))
        let pdf = try PDFiumDocument(document, in: .load())
        let pageCount = pdf.pageCount
        guard page <= pageCount else {
            throw UsageError(message: "PAGE is \(page), the document has \(pageCount)")
        }
        let bitmap = try pdf.render(page: page - 1, scale: dpi / 72)
        let png = try bitmap.pngData()
        do { try png.write(to: image) } catch {
            throw QuireError(
                .fileSystem, "cannot write \(image.path): \(error.localizedDescription)",
                underlying: error)
        }
        print(
            "page \(page) of \(pageCount), \(bitmap.width) x \(bitmap.height) pixels;",
            "PDFium asked for \(document.tally) of the document's \(document.size),",
            "Quire for \(file.tally) of the store's \(file.size)")
    }
}

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("RenderPage: \(message)\n".utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
    print(help)
    exit(0)
}
do {
    try Invocation(arguments).run()
} catch let error as UsageError {
    fail("\(error.message)\n\n\(help)", status: 2)
} catch let error as QuireError {
    fail(error.description, status: 1)
} catch {
    fail(error.localizedDescription, status: 1)
}
