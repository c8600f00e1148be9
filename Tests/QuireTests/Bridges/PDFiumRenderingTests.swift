import Foundation
import PDFiumRuntime
import Quire
import Testing

/// What PDFium draws from a store is what it draws from the plain file, to the pixel.
///
/// The suite is skipped where PDFium is not: run Scripts/fetch-pdfium.sh.
@Suite(
    .enabled(if: PDFiumLibrary.locate() != nil, "PDFium is not here: run Scripts/fetch-pdfium.sh"))
struct PDFiumRenderingTests {
    private let library: PDFiumLibrary

    init() throws { library = try .load() }

    @Test(arguments: Fixture.documents, [512, 65_536])
    func everyPageIsDrawnAsFromThePlainFile(name: String, blockSize: Int) throws {
        let url = Fixture.url(name)
        let store = try makeStore(try Data(contentsOf: url), blockSize: blockSize)
        let plain = try PDFiumDocument(path: url.path, in: library)
        let stored = try PDFiumDocument(store, in: library)
        #expect(stored.pageCount == plain.pageCount)
        for page in 0..<plain.pageCount {
            let expected = try plain.render(page: page, scale: 1)
            #expect(expected.bgra.contains { $0 != 255 }, "page \(page + 1) is not blank")
            #expect(try stored.render(page: page, scale: 1) == expected, "page \(page + 1)")
            #expect(try stored.pageSize(page) == plain.pageSize(page))
        }
    }

    @Test func fileMemoryAndProviderAreDrawnAlike() throws {
        let url = Fixture.url("images.pdf")
        let documents = try [
            PDFiumDocument(path: url.path, in: library),
            PDFiumDocument(memory: Data(contentsOf: url), in: library),
            PDFiumDocument(FileDataProvider(fileURL: url), in: library),
        ]
        let pages = try documents.map { try $0.render(page: 0, scale: 1.5) }
        #expect(pages[0] == pages[1] && pages[0] == pages[2])
    }

    @Test func everySaveIsDrawnAndOpenDocumentsKeepTheirs() throws {
        var document = try Data(contentsOf: Fixture.url("saved.pdf"))
        let store = try makeStore(document)
        var open: [(PDFiumDocument, expected: [PDFiumBitmap])] = []
        for save in ["saved-1.bin", "saved-2.bin", "saved-3.bin", nil] {
            let plain = try render(PDFiumDocument(memory: document, in: library))
            let stored = try PDFiumDocument(store, in: library)
            #expect(try render(stored) == plain, "before \(save ?? "the end")")
            open.append((stored, plain))
            if let save {
                let added = try Data(contentsOf: Fixture.url(save))
                document += added
                try store.save(.append, added)
            }
        }
        #expect(Set(open.map { $0.expected[0].bgra }).count > 1, "saves can be seen")
        #expect(open[3].expected.count == open[0].expected.count + 1)
        try store.save([], Data("no PDF any more".utf8))
        for (stored, expected) in open { #expect(try render(stored) == expected) }
    }

    @Test(
        .enabled(if: Corpus.hasSaves, "no chains of real saves"), arguments: Corpus.chains)
    func everySaveOfARealChainIsDrawn(name: String) throws {
        let versions = try Corpus.chain(name)
        let store = try makeStore(versions[0])
        var document = versions[0]
        for (step, tail) in versions.enumerated() {
            if step > 0 {
                try store.save(.append, tail)
                document += tail
            }
            let plain = try PDFiumDocument(memory: document, in: library)
            let stored = try PDFiumDocument(store, in: library)
            #expect(stored.pageCount == plain.pageCount)
            // The saves change the first pages and add one at the end.
            for page in Set([0, 1, 2, plain.pageCount - 1]) where page < plain.pageCount {
                let expected = try plain.render(page: page, scale: 0.75)
                let drawn = try stored.render(page: page, scale: 0.75)
                #expect(drawn == expected, "save \(step), page \(page + 1)")
            }
        }
    }

    @Test func documentsOnManyThreadsAreDrawnAlike() throws {
        let data = try Data(contentsOf: Fixture.url("text.pdf"))
        let store = try makeStore(data, blockSize: 4096)
        let expected = try render(PDFiumDocument(memory: data, in: library))
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                let drawn = try render(PDFiumDocument(store, in: library))
                #expect(drawn == expected)
            } catch { Issue.record(error) }
        }
    }

    // MARK: Faults

    @Test func damagedBlockIsAnErrorAndNeverAGapOnThePage() throws {
        let data = try Data(contentsOf: Fixture.url("uncompressed.pdf"))
        let expected = try render(PDFiumDocument(memory: data, in: library))
        let memory = DataContainerProvider(data: Data())
        let sound = try CompressedDataProvider.create(
            in: memory, configuration: .init(blockSize: 4096))
        try sound.save([], data)
        var detected = 0
        for block in try sound.blocks() {
            var stored = try memory.data()
            stored[Int(block.fileOffset) + block.memberSize / 2] ^= 0x10
            let store = try CompressedDataProvider(DataContainerProvider(data: stored))
            do {
                let drawn = try render(PDFiumDocument(store, in: library))
                #expect(drawn == expected, "block \(block.number)")
            } catch let error as QuireError {
                #expect(error.blockNumber == block.number)
                detected += 1
            }
        }
        #expect(detected > 10)
    }

    @Test func errorsSayWhatIsWrong() throws {
        let noPDF = #expect(throws: PDFiumError.self) {
            try PDFiumDocument(DataContainerProvider(data: Data("text".utf8)), in: library)
        }
        #expect(noPDF?.code == .format)
        let noFile = #expect(throws: PDFiumError.self) {
            try PDFiumDocument(path: "/nowhere.pdf", in: library)
        }
        #expect(noFile?.code == .file)
        let noProvider = #expect(throws: QuireError.self) {
            try PDFiumDocument(FileDataProvider(fileURL: URL(filePath: "/no")), in: library)
        }
        #expect(noProvider?.code == .fileNotFound)
        let text = try PDFiumDocument(path: Fixture.url("text.pdf").path, in: library)
        for page in [-1, text.pageCount, .max] {
            let noPage = #expect(throws: PDFiumError.self) { try text.render(page: page, scale: 1) }
            #expect(noPage?.code == .page)
        }
        for scale in [1e9, .infinity, .nan] {
            let tooLarge = #expect(throws: PDFiumError.self) {
                try text.render(page: 0, scale: scale)
            }
            #expect(tooLarge?.code == .bitmap)
        }
        let noLibrary = #expect(throws: PDFiumError.self) { try PDFiumLibrary.load("/nowhere.so") }
        #expect(noLibrary?.code == .libraryNotFound)
    }

    // MARK: Size

    @Test func documentOfFiveGiBIsDrawn() throws {  // [40]
        let provider = HollowPDF(size: 5 << 30)
        let document = try PDFiumDocument(provider, in: library)
        let page = try document.render(page: 0, scale: 1)
        // The page is painted by a stream beyond 4 GiB: red, in BGRA.
        #expect(Array(page.bgra.prefix(4)) == [0, 0, 255, 255])
        #expect((page.width, page.height) == (20, 10))
    }

    // MARK: Other documents

    /// Whole, damaged and encrypted ones.
    @Test(.enabled(if: Corpus.isThere, "no corpus of real PDFs"), arguments: Corpus.documents)
    func documentOfTheCorpusIsDrawnAsFromThePlainFile(name: String) throws {
        let url = Corpus.folder.appending(path: name)
        let store = try makeStore(try Data(contentsOf: url))
        for password in [nil, "test"] {
            let plain = outcome {
                try PDFiumDocument(path: url.path, password: password, in: library)
            }
            let stored = outcome { try PDFiumDocument(store, password: password, in: library) }
            #expect(stored == plain)
        }
    }

    /// Every page at a small scale.
    private func render(_ document: PDFiumDocument) throws -> [PDFiumBitmap] {
        try (0..<document.pageCount).map { try document.render(page: $0, scale: 0.5) }
    }

    private enum Outcome: Equatable {
        case drawn(pageCount: Int, [PDFiumBitmap?])
        case refused(PDFiumError.Code)
    }

    /// Every page, of long documents the first and the last, or why the document cannot be opened. A page that PDFium cannot load is nil.
    private func outcome(_ open: () throws -> PDFiumDocument) -> Outcome? {
        do {
            let document = try open()
            let count = document.pageCount
            let pages = count <= 40 ? Set(0..<count) : [0, 1, 2, count - 1]
            return .drawn(
                pageCount: document.pageCount,
                try pages.sorted().map { page in
                    do { return try document.render(page: page, scale: 0.5) } catch is PDFiumError {
                        return nil
                    }
                })
        } catch let error as PDFiumError {
            return .refused(error.code)
        } catch {
            Issue.record(error)
            return nil
        }
    }
}

private enum Fixture {
    static let documents = ["form.pdf", "images.pdf", "saved.pdf", "text.pdf", "uncompressed.pdf"]

    static func url(_ name: String) -> URL {
        URL(filePath: #filePath).appending(path: "../../../Fixtures/pdf/\(name)").standardized
    }
}

/// A PDF with a page object at its beginning and the page's contents at its end, and spaces between the two.
private final class HollowPDF: DataProviding, Sendable {
    let uid = "hollow"
    let size: UInt64
    private let head: Data
    private let tail: Data

    init(size: UInt64) {
        var head = "%PDF-1.7\n"
        var offsets: [Int] = []
        for object in [
            "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 20 10]/Contents 4 0 R>>",
        ] {
            offsets.append(head.utf8.count)
            head += "\(offsets.count) 0 obj\(object)endobj\n"
        }
        let contents = "1 0 0 rg 0 0 20 10 re f"
        let tailStart = Int(size) - 512
        var tail =
            "4 0 obj<</Length \(contents.utf8.count)>>stream\n\(contents)\nendstream endobj\n"
        offsets.append(tailStart)
        let xref = tailStart + tail.utf8.count
        tail += "xref\n0 5\n0000000000 65535 f \n"
        for offset in offsets {
            let digits = String(offset)
            tail += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        tail += "trailer<</Size 5/Root 1 0 R>>\nstartxref\n\(xref)\n%%EOF\n"
        self.size = UInt64(tailStart + tail.utf8.count)
        self.head = Data(head.utf8)
        self.tail = Data(tail.utf8)
    }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        let end = offset + min(size, self.size - min(offset, self.size))
        let tailStart = self.size - UInt64(tail.count)
        return Data(
            (offset..<end).map { position in
                if position < head.count { return head[Int(position)] }
                return position < tailStart ? 0x20 : tail[Int(position - tailStart)]
            })
    }
}
