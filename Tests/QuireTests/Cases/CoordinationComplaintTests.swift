import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

#if os(Linux)
    /// Those of the complaints that are about files which others change.
    @Suite("Complaints of coordination")
    struct CoordinationComplaintTests {
        let folder: TemporaryFolder
        let url: URL
        let old = TestBytes.mixed(100_000)
        let tail = Data("more".utf8)

        init() throws {
            folder = try TemporaryFolder()
            url = folder.file("document")
        }

        func open(_ recorder: ConflictRecorder) throws -> CoordinatedFileDataProvider {
            if !FileManager.default.fileExists(atPath: url.path) { try old.write(to: url) }
            let provider = CoordinatedFileDataProvider(fileURL: url)
            provider.coordinationDelegate = recorder
            _ = try provider.data()
            return provider
        }

        @Test func complaint6CoordinatedAccessFromTheDelegateDoesNotDeadlock() throws {
            let failures = Mutex<[String]>([])
            let busy = ConflictRecorder { provider in
                do {
                    _ = try provider.data()
                    _ = (provider.size, provider.uid, provider.error as Any, provider.canWrite)
                    try provider.resolveFileConflict(with: .reload)
                    try provider.save(.append, Data("+".utf8))
                    provider.clearCache()
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            let provider = try open(busy)
            for index in 0..<10 {
                try shell("printf new > \"$0.new\"; mv \"$0.new\" \"$0\"", url)
                #expect(busy.has(index + 1) && settled(provider))
            }
            #expect(failures.withLock { $0 } == [])
            #expect(busy.reports.count == 10)
            #expect(try Data(contentsOf: url) == Data("new+".utf8))
        }

        @Test func complaint11AFileThatLeavesItsURLIsNoticed() throws {
            let recorder = ConflictRecorder()
            let provider = try open(recorder)
            let moved = folder.file("moved")
            try FileManager.default.moveItem(at: url, to: moved)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.deletion] && provider.fileURL == url)
            try provider.resolveFileConflict(with: .save)
            #expect(try Data(contentsOf: url) == old && provider.fileURL == url)
            try tail.write(to: moved)  // another file now
            #expect(try provider.data() == old)
            #expect(settled(provider) && recorder.reports.count == 1)
        }

        @Test func complaint13AFailedSaveLeavesNothingStale() throws {
            let recorder = ConflictRecorder()
            let file = CoordinatedFileDataProvider(fileURL: url)
            file.coordinationDelegate = recorder
            let store = try ConformanceTests.compress(old, into: file)
            #expect(try store.data() == old)
            let late = try store.createDataSink(options: .append)
            try late.put(Data("lost".utf8))
            try late.close()
            try CompressedDataProvider(url: url).save([], tail)
            #expect(code { try store.replaceContents(with: late) } == .conflict)
            #expect(try store.data() == old)
            #expect(recorder.has(1))
            try file.resolveFileConflict(with: .reload)
            store.clearCache()
            #expect(try store.data() == tail && store.size == UInt64(tail.count))
            try store.save(.append, tail)
            #expect(try store.data() == tail + tail)
        }

        @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a file system of 1 MiB"))
        func complaint13ASaveThatFailedHalfWayIsNoOutsideChange() throws {
            let disk = try SmallDisk()
            let full = disk.url.appendingPathComponent("document")
            try old.write(to: full)
            let recorder = ConflictRecorder()
            let provider = CoordinatedFileDataProvider(fileURL: full)
            provider.coordinationDelegate = recorder
            let sink = try provider.createDataSink(options: .append)
            try sink.put(TestBytes.noise(900_000))
            try #require((sink as? FileDataSink)?.barrier() == true)
            try sink.put(TestBytes.noise(100_000))
            try sink.close()
            #expect(code { try provider.replaceContents(with: sink) } == .fileSystem)
            #expect(settled(provider) && recorder.reports.isEmpty)
            #expect(try provider.data() == old && Data(contentsOf: full) == old)
            try provider.save(.append, tail)
            #expect(settled(provider) && recorder.reports.isEmpty)
        }

        @Test func complaint13AFileChangedWhileItWasClosedIsReadAsItIs() throws {
            let recorder = ConflictRecorder()
            var provider: CoordinatedFileDataProvider? = try open(recorder)
            let uid = provider?.uid
            provider = nil
            try shell("printf new > \"$0\"", url)
            let again = try open(recorder)
            #expect(try again.data() == Data("new".utf8) && again.uid == uid)
            #expect(settled(again) && recorder.reports.isEmpty)
        }

        @Test func complaint14EachChangeIsToldOnceAndReloadsDoNotLoop() throws {
            let reloading = ConflictRecorder { try? $0.resolveFileConflict(with: .reload) }
            let provider = try open(reloading)
            for index in 0..<10 {
                try provider.save(.append, tail)
                try shell("touch \"$0\"; chmod 600 \"$0\"", url)
                try shell("printf more >> \"$0\"", url)
                #expect(reloading.has(index + 1) && settled(provider))
                try shell("touch \"$0\"", url)
                #expect(settled(provider))
                #expect(reloading.reports.count == index + 1)
            }
            #expect(try provider.data() == Data(contentsOf: url))
            // And one who does not resolve it is told once, however often the file is looked at.
            let idle = ConflictRecorder()
            provider.coordinationDelegate = idle
            try shell("printf more >> \"$0\"", url)
            #expect(idle.has(1))
            for _ in 0..<5 {
                try shell("touch \"$0\"", url)
                #expect(settled(provider))
            }
            #expect(idle.reports == [.modification] && reloading.reports.count == 10)
        }
    }
#endif
