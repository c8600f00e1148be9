import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("FileDataProvider")
struct FileDataProviderTests {
    let folder: TemporaryFolder
    let url: URL
    init() throws {
        folder = try TemporaryFolder()
        url = try folder.file("document.pdf", Data("old contents".utf8))
    }

    @Test func inFlightEverythingFailsWith8600UntilTheProgressIsFinished() throws {
        let progress = Progress(totalUnitCount: 1)
        let provider = FileDataProvider(fileURL: url, progress: progress)
        let accesses: [() throws -> Void] = [
            { _ = try provider.readData(withSize: 1, atOffset: 0) }, { _ = try provider.data() },
            { _ = try provider.createDataSink(options: []) }, { try provider.deleteData() },
            { _ = try CompressedDataProvider(provider) },
        ]
        for access in accesses {
            let error = #expect(throws: QuireError.self) { try access() }
            #expect(error?.code == .dataProviderIsInFlight)
            #expect((error as NSError?)?.code == 8600)
        }
        let sink = try FileDataSink(fileURL: folder.file("other"))
        #expect(code { try provider.replaceContents(with: sink) } == .dataProviderIsInFlight)
        #expect(provider.size == 0 && !provider.canWrite)
        progress.completedUnitCount = 1
        #expect(try provider.data() == Data("old contents".utf8))
        #expect(provider.size == 12 && provider.canWrite)
    }

    @Test func aMissingFileIsAnErrorUntilItIsSaved() throws {
        let provider = FileDataProvider(fileURL: folder.file("new.pdf"))
        #expect(code { _ = try provider.data() } == .fileNotFound)
        #expect(provider.size == 0 && !provider.canWrite)
        #expect((provider.error as? QuireError)?.code == .fileNotFound)
        try provider.save(.append, Data("made".utf8))
        #expect(try provider.data() == Data("made".utf8))
        #expect(provider.error == nil && provider.canWrite)
        try provider.deleteData()
        #expect(code { _ = try provider.data() } == .fileNotFound)
        #expect(code { try provider.deleteData() } == .fileNotFound)
    }

    @Test func foldersAndUnreadablePathsAreErrors() throws {
        for path in [folder.url, folder.file("document.pdf/below")] {
            #expect(code { _ = try FileDataProvider(fileURL: path).data() } == .fileSystem)
        }
        #expect(
            code { _ = try FileDataSink(fileURL: folder.file("no/such/folder/a")) } == .fileNotFound
        )
    }

    @Test(arguments: [[], .append] as [DataSinkOptions])
    func theLoserOfTwoSavesGetsAConflict(options: DataSinkOptions) throws {
        let (one, two) = (FileDataProvider(fileURL: url), FileDataProvider(fileURL: url))
        do {
            let sink = try one.createDataSink(options: options)
            try sink.put(Data("mine".utf8))
            try sink.close()
            try two.save(.append, Data(", theirs".utf8))
            #expect(code { try one.replaceContents(with: sink) } == .conflict)
        }
        #expect(try one.data() == Data("old contents".utf8))  // as it was opened
        one.clearCache()
        #expect(try one.data() == Data("old contents, theirs".utf8))
        #expect(folder.names == ["document.pdf"])
    }

    @Test func aTouchedFileIsNoConflict() throws {
        let provider = FileDataProvider(fileURL: url)
        let sink = try provider.createDataSink(options: .append)
        try sink.close()
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: url.path)
        try provider.replaceContents(with: sink)
    }

    @Test func aChangeOfEqualSizeIsAConflict() throws {
        let provider = FileDataProvider(fileURL: url)
        let sink = try provider.createDataSink(options: .append)
        try sink.close()
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: Data("OLD".utf8))
        try handle.close()
        #expect(code { try provider.replaceContents(with: sink) } == .conflict)
    }

    @Test func aFileCreatedMeanwhileIsNotOverwritten() throws {
        let new = folder.file("new.pdf")
        let sink = try FileDataSink(fileURL: new)
        try sink.put(Data("mine".utf8))
        try Data("theirs".utf8).write(to: new)
        #expect(!sink.finish())
        #expect((sink.failure as? QuireError)?.code == .conflict)
        #expect(try Data(contentsOf: new) == Data("theirs".utf8))
    }

    @Test func aSinkOfItsOwnPutsItsContentsInPlaceAndAProviderTakesIt() throws {
        let sink = try FileDataSink(fileURL: url)
        try sink.put(Data("signed".utf8))
        #expect(try Data(contentsOf: url) == Data("old contents".utf8))
        let provider = FileDataProvider(fileURL: url)
        #expect(provider.size == 12)
        try sink.close()
        #expect(try Data(contentsOf: url) == Data("signed".utf8))
        try provider.replaceContents(with: sink)
        #expect(try provider.data() == Data("signed".utf8))
        let appending = try FileDataSink(fileURL: url, options: .append)
        try appending.put(Data(" twice".utf8))
        try appending.close()
        #expect(try Data(contentsOf: url) == Data("signed twice".utf8))
        #expect(folder.names == ["document.pdf"])
    }

    @Test func aReplacementKeepsThePermissionsAndALinkStaysALink() throws {
        let link = folder.file("link.pdf")
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: "document.pdf")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
        let provider = FileDataProvider(fileURL: link)
        try provider.save([], Data("new".utf8))
        #expect(try Data(contentsOf: url) == Data("new".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: link.path)
        #expect(attributes[.type] as? FileAttributeType == .typeSymbolicLink)
        let target = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(target[.posixPermissions] as? Int == 0o640)
    }

    @Test func theNextWriterRemovesATemporaryThatNobodyHolds() throws {
        let stale = try folder.file(".document.pdf.dead\(TemporaryFile.suffix)", Data("x".utf8))
        let provider = FileDataProvider(fileURL: url)
        let held = try provider.createDataSink(options: [])  // locked: not stale
        #expect(!FileManager.default.fileExists(atPath: stale.path))
        try provider.save([], Data("new".utf8))
        #expect(folder.names.count == 2)
        #expect(
            code {
                try held.close(); try provider.replaceContents(with: held)
            } == .conflict)
    }

    @Test func longNamesGetATemporaryToo() throws {
        let long = folder.file(String(repeating: "ü", count: 120) + ".pdf")
        try FileDataProvider(fileURL: long).save([], Data("x".utf8))
        #expect(try Data(contentsOf: long) == Data("x".utf8))
    }

    @Test func largeAppendsAreStagedInAFileAndArrive() throws {
        let provider = FileDataProvider(fileURL: url)
        let tail = TestBytes.noise(5 << 20)
        let sink = try provider.createDataSink(options: .append)
        for start in stride(from: 0, to: tail.count, by: 700_001) {
            try sink.put(tail[start..<min(start + 700_001, tail.count)])
        }
        #expect(folder.names == ["document.pdf"])  // the staging file has no name
        try sink.close()
        try provider.replaceContents(with: sink)
        #expect(try provider.data() == Data("old contents".utf8) + tail)
    }

    @Test func aFileCutByAnotherIsAnErrorNotAShortRead() throws {
        let provider = FileDataProvider(fileURL: url)
        #expect(provider.size == 12)
        try FileHandle(forWritingTo: url).truncate(atOffset: 5)
        #expect(code { _ = try provider.data() } == .truncated)
        #expect(try provider.read(5, at: 0) == Data("old c".utf8))
    }

    @Test func anEmptyFileIsReadAndAppendedTo() throws {
        let empty = try folder.file("empty", Data())
        let provider = FileDataProvider(fileURL: empty)
        #expect(try provider.data().isEmpty)
        try provider.save(.append, Data())
        try provider.save(.append, Data("x".utf8))
        #expect(try Data(contentsOf: empty) == Data("x".utf8))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a file system of 1 MiB"))
    func aFullDiskIsReportedWithItsReason() throws {
        let disk = try SmallDisk()
        let mount = disk.url
        let file = mount.appendingPathComponent("a.pdf")
        let old = TestBytes.noise(300_000)
        try old.write(to: file)
        let provider = FileDataProvider(fileURL: file)
        for options in [[], .append] as [DataSinkOptions] {
            let sink = try provider.createDataSink(options: options)
            let isWritten = sink.write(TestBytes.noise(900_000)) && sink.finish()
            let error = #expect(throws: QuireError.self) {
                if !isWritten { throw try #require((sink as? any OrderedDataSink)?.failure) }
                try provider.replaceContents(with: sink)
            }
            #expect((error?.underlying as? POSIXError)?.code == .ENOSPC)
            #expect(error?.description.contains("No space left on device") == true)
            #expect(try provider.data() == old && Data(contentsOf: file) == old)
        }
        try provider.save(.append, Data("small".utf8))
        #expect(try Data(contentsOf: file) == old + Data("small".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: mount.path) == ["a.pdf"])
    }
}
