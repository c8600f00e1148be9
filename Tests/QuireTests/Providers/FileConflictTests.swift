import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

#if os(Linux)
    @Suite("File conflicts")
    struct FileConflictTests {
        let folder: TemporaryFolder
        let url: URL
        let provider: CoordinatedFileDataProvider
        let recorder = ConflictRecorder()
        let old = TestBytes.mixed(300_000)

        init() throws {
            folder = try TemporaryFolder()
            url = try folder.file("document", old)
            provider = CoordinatedFileDataProvider(fileURL: url)
            provider.coordinationDelegate = recorder
            _ = try provider.data()
        }

        /// Lets another process do something, and waits for its report.
        func outside(_ script: String) throws {
            let count = recorder.reports.count
            try shell(script, url)
            #expect(recorder.has(count + 1) && settled(provider))
        }

        static let replacing = "printf new > \"$0.new\"; mv \"$0.new\" \"$0\""
        static let rewriting = "printf new > \"$0\""
        static let appending = "printf new >> \"$0\""
        static let deleting = "rm \"$0\""

        @Test(arguments: [replacing, appending, deleting])
        func whatWasOpenedIsReadUntilTheConflictIsResolved(script: String) throws {
            try outside(script)
            #expect(try provider.data() == old)
            #expect(provider.isConflictResolutionAvailable)
            #expect(ConflictResolutionAvailable(forDataProvider: provider))
        }

        @Test(arguments: [replacing, rewriting, appending])
        func reloadReadsWhatIsThere(script: String) throws {
            try outside(script)
            let snapshot = try provider.makeSnapshot()
            try provider.resolveFileConflict(with: .reload)
            #expect(try provider.data() == Data(contentsOf: url))
            #expect(provider.unresolvedConflict == nil && provider.isConflictResolutionAvailable)
            try provider.save(.append, Data("!".utf8))
            #expect(try provider.data() == Data(contentsOf: url))
            #expect(settled(provider) && recorder.reports.count == 1)
            if script != Self.rewriting { #expect(try snapshot.data() == old) }
        }

        @Test func aDeletedFileCannotBeReloaded() throws {
            try outside(Self.deleting)
            #expect(code { try provider.resolveFileConflict(with: .reload) } == .fileNotFound)
            provider.clearCache()
            #expect(try provider.data() == old)
            #expect(provider.unresolvedConflict == .deletion && !provider.canWrite)
        }

        @Test(arguments: [replacing, appending, deleting])
        func saveWritesWhatWasOpenedWithItsPermissions(script: String) throws {
            try shell("chmod 640 \"$0\"", url)
            try provider.resolveFileConflict(with: .reload)
            try outside(script + "; umask 0; [ ! -e \"$0\" ] || chmod 640 \"$0\"")
            try provider.resolveFileConflict(with: .save)
            #expect(try Data(contentsOf: url) == old && provider.data() == old)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            #expect(attributes[.posixPermissions] as? Int == 0o640)
            #expect(folder.names == ["document"])
            try provider.save(.append, Data("!".utf8))
            #expect(try Data(contentsOf: url) == old + Data("!".utf8))
            #expect(settled(provider) && recorder.reports.count == 1)
            #expect(provider.unresolvedConflict == nil)
        }

        @Test func aSaveIntoAFolderThatIsGoneFailsAndCanBeRepeated() throws {
            try outside("rm -r \"$(dirname \"$0\")\"")
            #expect(code { try provider.resolveFileConflict(with: .save) } == .fileNotFound)
            #expect(try provider.data() == old && provider.unresolvedConflict == .deletion)
            try FileManager.default.createDirectory(
                at: folder.url, withIntermediateDirectories: true)
            try provider.resolveFileConflict(with: .save)
            #expect(try Data(contentsOf: url) == old)
        }

        @Test(arguments: [rewriting, "printf X | dd of=\"$0\" bs=1 seek=5000 conv=notrunc 2>&1"])
        func ofAFileWrittenInPlaceNoMixtureIsReadOrSaved(script: String) throws {
            try outside(script)
            let there = try Data(contentsOf: url)
            #expect(!provider.isConflictResolutionAvailable)
            #expect(code { _ = try provider.read(10, at: 0) } == .conflict)
            #expect(code { try provider.resolveFileConflict(with: .save) } == .conflict)
            #expect(try Data(contentsOf: url) == there)
            try provider.resolveFileConflict(with: .reload)
            #expect(try provider.data() == there && provider.isConflictResolutionAvailable)
        }

        @Test func ofAFileWrittenUnderAnotherNameNoMixtureIsSaved() throws {
            let moved = folder.file("moved")
            try FileManager.default.moveItem(at: url, to: moved)
            #expect(recorder.has(1) && settled(provider))
            try shell("printf X | dd of=\"$0\" bs=1 seek=5000 conv=notrunc 2>&1", moved)
            #expect(code { try provider.resolveFileConflict(with: .save) } == .conflict)
            #expect(!provider.isConflictResolutionAvailable && folder.names == ["moved"])
        }

        @Test(arguments: [replacing, rewriting, deleting])
        func closeEndsEverything(script: String) throws {
            let sink = try provider.createDataSink(options: [])
            let snapshot = try provider.makeSnapshot()
            try outside(script)
            for _ in 0..<2 { try provider.resolveFileConflict(with: .close) }
            let accesses: [() throws -> Void] = [
                { _ = try provider.data() }, { _ = try provider.read(1, at: 0) },
                { _ = try provider.makeSnapshot() }, { _ = try provider.createDataSink() },
                { try provider.replaceContents(with: sink) }, { try provider.deleteData() },
                { try provider.resolveFileConflict(with: .save) },
                { try provider.resolveFileConflict(with: .reload) },
            ]
            for access in accesses { #expect(code(access) == .closed) }
            provider.clearCache()
            #expect(provider.size == 0 && !provider.canWrite)
            #expect((provider.error as? QuireError)?.code == .closed)
            #expect(!provider.isConflictResolutionAvailable && provider.unresolvedConflict == nil)
            if script != Self.rewriting { #expect(try snapshot.data() == old) }
            try shell("printf x >> \"$0\"", url)
            #expect(settled(provider) && recorder.reports.count == 1)
        }

        @Test func saveAndReloadWithoutAConflictChangeNothing() throws {
            for resolution in [.save, .reload] as [FileConflictResolution] {
                try provider.resolveFileConflict(with: resolution)
                #expect(try provider.data() == old && Data(contentsOf: url) == old)
            }
            #expect(settled(provider) && recorder.reports.isEmpty)
        }

        @Test(arguments: [.reload, .save] as [FileConflictResolution])
        func aSinkFromBeforeTheResolutionIsAConflict(resolution: FileConflictResolution) throws {
            let sink = try provider.createDataSink(options: .append)
            try sink.close()
            try outside(Self.replacing)
            #expect(code { try provider.replaceContents(with: sink) } == .conflict)
            let other = try provider.createDataSink(options: .append)
            try other.close()
            #expect(code { try provider.replaceContents(with: other) } == .conflict)
            try provider.resolveFileConflict(with: resolution)
            let late = try provider.createDataSink(options: .append)
            try late.close()
            try provider.replaceContents(with: late)
        }

        @Test func anAnnouncedDeletionWaitsForTheDelegate() throws {
            let isDone = Atomic(false)
            provider.monitor.announceDeletion { _ in isDone.store(true, ordering: .releasing) }
            #expect(eventually { isDone.load(ordering: .acquiring) })
            #expect(recorder.reports == [.deletion])
            try FileManager.default.removeItem(at: url)
            #expect(settled(provider) && recorder.reports == [.deletion])
            provider.coordinationDelegate = nil
            isDone.store(false, ordering: .releasing)
            provider.monitor.announceDeletion { _ in isDone.store(true, ordering: .releasing) }
            #expect(eventually { isDone.load(ordering: .acquiring) })
        }

        /// Each version is one letter over and over.
        @Test func readersDuringReloadsSeeOneVersionWhole() throws {
            let letters = Array("abcdefgh".utf8)
            @Sendable func version(_ index: Int) -> Data {
                Data(repeating: letters[index % 8], count: 100_000 + index % 8 * 50_000)
            }
            try provider.save([], version(0))
            let isOver = Atomic(false)
            let readCount = Atomic(0)
            let failures = Mutex<[String]>([])
            let snapshot = try provider.makeSnapshot()
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                do {
                    guard thread > 0 else {
                        defer { isOver.store(true, ordering: .releasing) }
                        for index in 1...60 {
                            let new = folder.file("new")
                            try version(index).write(to: new)
                            guard unsafe rename(new.path, url.path) == 0 else {
                                throw CocoaError(.fileWriteUnknown)
                            }
                            try provider.resolveFileConflict(with: .reload)
                            let target = readCount.load(ordering: .relaxed) + 4
                            while readCount.load(ordering: .relaxed) < target,
                                failures.withLock(\.isEmpty)
                            { Thread.sleep(forTimeInterval: 0.000_1) }
                        }
                        return
                    }
                    while !isOver.load(ordering: .acquiring) {
                        let data = try provider.data()
                        let index = letters.firstIndex(of: data.first ?? 0) ?? 0
                        if data != version(index) { failures.withLock { $0.append("torn") } }
                        readCount.add(1, ordering: .relaxed)
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(readCount.load(ordering: .relaxed) >= 240)
            #expect(try provider.data() == version(60) && snapshot.data() == version(0))
        }
    }
#endif
