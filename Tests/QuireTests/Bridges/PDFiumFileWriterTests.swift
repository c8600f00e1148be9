import Foundation
import Quire
import Testing

/// What PDFium does with the structure when it saves, without PDFium.
@Suite struct PDFiumFileWriterTests {
    @Test func versionIsTheOneOfTheInterface() {
        let writer = PDFiumFileWriter(DataContainerSink())
        #expect(FileWrite(writer).version == 1)
    }

    @Test func everyBlockReachesTheSinkInOrder() throws {
        let sink = DataContainerSink()
        let writer = PDFiumFileWriter(sink)
        let file = FileWrite(writer)
        for size in [0, 1, 511, 512, 0, 70_000] {
            #expect(file.write([UInt8](repeating: UInt8(size % 251), count: size)) != 0)
        }
        #expect(sink.data.count == 1 + 511 + 512 + 70_000)
        #expect(sink.data.prefix(3) == Data([1, 9, 9]) && sink.data.last == UInt8(70_000 % 251))
        #expect(writer.byteCount == UInt64(sink.data.count))
        #expect(writer.error == nil && !sink.isFinished)
    }

    @Test func missingMemoryAndMissingParameterAreRefused() {
        let writer = PDFiumFileWriter(DataContainerSink())
        let file = FileWrite(writer)
        #expect(unsafe file.writeBlock(writer.pointer, nil, 0) != 0)
        #expect(file.writeBlock(nil, nil, 0) == 0)
        #expect(unsafe file.writeBlock(writer.pointer, nil, 1) == 0)
        #expect((writer.error as? QuireError)?.code == .invalidArgument)
    }

    @Test func sizeThatNoMemoryHasIsRefused() {
        let writer = PDFiumFileWriter(DataContainerSink())
        let byte: [UInt8] = [1]
        #expect(unsafe FileWrite(writer).writeBlock(writer.pointer, byte, .max) == 0)
        #expect((writer.error as? QuireError)?.code == .invalidArgument)
    }

    @Test func failedSinkRefusesThisAndAllThatFollows() throws {
        let sink = DataContainerSink()
        let writer = PDFiumFileWriter(sink)
        let file = FileWrite(writer)
        #expect(file.write([1]) != 0)
        #expect(sink.finish())
        #expect(file.write([2]) == 0)
        #expect((writer.error as? QuireError)?.code == .writeAfterFinish)
        #expect(file.write([3]) == 0)
        #expect(sink.data == Data([1]) && writer.byteCount == 1)
    }

    @Test func incrementalSaveOfAnotherDocumentIsRefused() throws {
        let store = try makeStore(Data("%PDF-1.7 one".utf8))
        let save = try IncrementalSave(of: store)
        let writer = PDFiumFileWriter(save)
        let file = FileWrite(writer)
        #expect(file.write([UInt8]("%PDF-1.7 ".utf8)) != 0)
        #expect(file.write([UInt8]("two".utf8)) == 0)
        #expect((writer.error as? QuireError)?.code == .conflict)
        #expect(throws: QuireError.self) { try save.commit() }
        #expect(try store.data() == Data("%PDF-1.7 one".utf8))
    }

    @Test func objectIsFreed() {
        weak let released: PDFiumFileWriter?
        do {
            let writer = PDFiumFileWriter(DataContainerSink())
            released = writer
            #expect(FileWrite(writer).write([1]) != 0)
        }
        #expect(released == nil)
    }
}

/// FPDF_FILEWRITE as fpdf_save.h declares it.
@safe private struct FileWrite {
    let version: CInt
    let writeBlock:
        @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, CUnsignedLong) -> CInt
    private var pointer: UnsafeMutableRawPointer?

    init(_ writer: PDFiumFileWriter) {
        // SAFETY: the layout is that of the C structure: an int, a word that is ours here.
        self = unsafe writer.pointer.load(as: FileWrite.self)
        unsafe pointer = writer.pointer
    }

    func write(_ bytes: [UInt8]) -> CInt {
        // SAFETY: PDFium gives the structure itself to the function in it.
        unsafe bytes.withUnsafeBytes {
            unsafe writeBlock(pointer, $0.baseAddress, CUnsignedLong($0.count))
        }
    }
}
