import Foundation
import PDFiumRuntime
import Quire
import Testing

/// PDFium edits and saves a store as it does a plain file.
///
/// The suite is skipped where PDFium is not: run Scripts/fetch-pdfium.sh.
@Suite(
    .enabled(if: PDFiumLibrary.locate() != nil, "PDFium is not here: run Scripts/fetch-pdfium.sh"))
struct PDFiumSavingTests {
    private let library: PDFiumLibrary

    init() throws { library = try .load() }

    @Test(arguments: ["saved.pdf", "form.pdf", "text.pdf"])
    func tenIncrementalSavesAreAppendsAndAreDrawnAsThePlainFile(name: String) throws {
        let file = try TemporaryFolder.uniqueFile(name + ".gz")
        var plain = try ToolSample.fixture(name)
        let packing = try CompressedDataSink(FileDataSink(fileURL: file))
        try #require(packing.write(plain) && packing.finish())
        let store = try CompressedDataProvider(url: file)
        var first: Set<Data> = [try draw(PDFiumDocument(memory: plain, in: library))[0]]
        for save in 1...10 {
            let storedBefore = storedSize(of: file)
            let document = try PDFiumDocument(store, in: library)
            try document.addSquare(page: 0, x: 12 * Float(save), y: 20, side: 10)
            // What PDFium writes goes into the store, and into memory beside it.
            let incremental = try IncrementalSave(of: store)
            let tee = TeeSink(incremental)
            try document.save(to: PDFiumFileWriter(tee), isIncremental: true)
            try incremental.commit()
            #expect(tee.data.starts(with: plain))
            #expect(tee.data.count > plain.count)
            // Its members are small blocks of their own, with an index and a footer.
            let added = tee.data.count - plain.count
            #expect(storedSize(of: file) - storedBefore < UInt64(added) + 600)
            plain = tee.data
            #expect(try store.data() == plain)
            #expect(try gunzip(Data(contentsOf: file)) == plain)
            let expected = try draw(PDFiumDocument(memory: plain, in: library))
            #expect(try draw(PDFiumDocument(store, in: library)) == expected, "save \(save)")
            // Of another handle on the file, too.
            let other = try CompressedDataProvider(url: file)
            #expect(try draw(PDFiumDocument(other, in: library)) == expected, "save \(save)")
            first.insert(expected[0])
        }
        #expect(first.count == 11, "every square can be seen")
        #expect(try store.history().count == 11)
    }

    @Test func wholeSaveReplacesTheDocument() throws {
        let store = try makeStore(try ToolSample.fixture("saved.pdf"))
        let document = try PDFiumDocument(store, in: library)
        let expected = try draw(document)
        let sink = try store.createDataSink(options: [])
        let writer = PDFiumFileWriter(sink)
        try document.save(to: writer, isIncremental: false)
        #expect(sink.finish())
        try store.replaceContents(with: sink)
        #expect(store.size == writer.byteCount)
        #expect(try draw(PDFiumDocument(store, in: library)) == expected)
        #expect(try draw(document) == expected, "the open document still reads the old revision")
    }

    @Test func sinkThatFailsIsTheErrorOfTheSave() throws {
        let store = try makeStore(try ToolSample.fixture("saved.pdf"))
        let document = try PDFiumDocument(store, in: library)
        try document.addSquare(page: 0, x: 10, y: 10, side: 10)
        let save = try IncrementalSave(of: store)
        try store.save([], Data("another document".utf8))
        let late = try IncrementalSave(of: store)
        for sink in [save, late] {
            let error = #expect(throws: QuireError.self) {
                try document.save(to: PDFiumFileWriter(sink), isIncremental: true)
                try sink.commit()
            }
            #expect(error?.code == .conflict)
        }
        #expect(try store.data() == Data("another document".utf8))
    }

    @Test(arguments: ["saved.pdf", "form.pdf", "images.pdf", "text.pdf", "uncompressed.pdf"])
    func pagesAreAvailableOnceTheyWereAskedFor(name: String) throws {
        let plain = try ToolSample.fixture(name)
        let store = try makeStore(plain, blockSize: 4096)
        let session = try PDFiumAvailabilitySession(store, in: library)
        #expect(session.document() == .notAvailable, "nothing was asked for yet")
        let rounds = (0..<1000).first { _ in session.document() != .notAvailable }
        #expect(rounds != nil && session.document() == .available)
        let document = try session.open()
        let expected = try PDFiumDocument(memory: plain, in: library)
        for page in 0..<document.pageCount {
            let rounds = (0..<1000).first { _ in session.page(page) != .notAvailable }
            #expect(rounds != nil && session.page(page) == .available)
            let drawn = try document.render(page: page, scale: 0.5)
            #expect(try drawn == expected.render(page: page, scale: 0.5))
        }
    }

    /// The pixels of every page, small.
    private func draw(_ document: PDFiumDocument) throws -> [Data] {
        try (0..<document.pageCount).map { Data(try document.render(page: $0, scale: 0.5).bgra) }
    }

    private func storedSize(of file: URL) -> UInt64 {
        FileDataProvider(fileURL: file).size
    }
}

/// Passes on what is written to it, and keeps it.
private final class TeeSink: DataSink {
    private(set) var data = Data()
    private let sink: any DataSink

    init(_ sink: any DataSink) { self.sink = sink }

    var isFinished: Bool { sink.isFinished }
    var options: DataSinkOptions { sink.options }

    func write(_ data: Data) -> Bool {
        self.data += data
        return sink.write(data)
    }

    func finish() -> Bool { sink.finish() }
}
