import Foundation
import QuireTesting
import Testing

@testable import Quire

#if os(Linux)
    @Suite("Compressed(Coordinated)")
    struct CoordinatedStoreTests {
        let folder: TemporaryFolder
        let url: URL
        let file: CoordinatedFileDataProvider
        let store: CompressedDataProvider
        let recorder = ConflictRecorder()
        let old = TestBytes.mixed(200_000)
        let tail = Data("and more".utf8)

        init() throws {
            folder = try TemporaryFolder()
            url = folder.file("store.gz")
            file = CoordinatedFileDataProvider(fileURL: url)
            file.coordinationDelegate = recorder
            store = try ConformanceTests.compress(old, into: file)
        }

        /// Another provider, as in another process.
        func outsideSave(_ options: DataSinkOptions) throws {
            try CompressedDataProvider(url: url).save(options, tail)
            #expect(recorder.has(1) && settled(file))
        }

        @Test func ownSavesThroughTheDecoratorAreNotReported() throws {
            for index in 0..<100 { try store.save(index % 10 == 9 ? [] : .append, tail) }
            #expect(settled(file) && recorder.reports.isEmpty)
        }

        @Test(arguments: [.append, []] as [DataSinkOptions])
        func theOldRevisionIsReadUntilAReloadAndClearCache(options: DataSinkOptions) throws {
            try outsideSave(options)
            #expect(recorder.reports == [.modification])
            #expect(try store.data() == old)
            #expect(code { try store.save(.append, tail) } == .conflict)
            try file.resolveFileConflict(with: .reload)
            store.clearCache()
            #expect(try store.data() == (options == .append ? old + tail : tail))
            try store.save(.append, tail)
            #expect(settled(file) && recorder.reports.count == 1)
            #expect(try store.verify().isEmpty)
        }

        @Test func clearCacheAloneIsAReload() throws {
            try outsideSave(.append)
            store.clearCache()
            #expect(try store.data() == old + tail)
            #expect(file.unresolvedConflict == nil)
        }

        @Test(arguments: ["rm \"$0\"", "printf junk > \"$0.new\"; mv \"$0.new\" \"$0\""])
        func saveBringsTheStoreBackAndTheDecoratorGoesOn(script: String) throws {
            try shell(script, url)
            #expect(recorder.has(1) && settled(file))
            #expect(try store.data() == old)
            try file.resolveFileConflict(with: .save)
            store.clearCache()
            try store.save(.append, tail)
            #expect(try gunzip(Data(contentsOf: url)) == old + tail)
            #expect(settled(file) && recorder.reports.count == 1)
        }

        @Test func afterACloseTheDecoratorIsClosedToo() throws {
            try shell("rm \"$0\"", url)
            #expect(recorder.has(1))
            try file.resolveFileConflict(with: .close)
            #expect(try store.data() == old)  // its own version, until it is told
            store.clearCache()
            #expect(code { _ = try store.data() } == .closed)
            #expect(store.size == 0 && (store.error as? QuireError)?.code == .closed)
        }
    }
#endif
