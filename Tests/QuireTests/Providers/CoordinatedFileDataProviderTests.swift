import Foundation
import QuireTesting
import Testing

@testable import Quire

#if os(Linux)
    @Suite("CoordinatedFileDataProvider")
    struct CoordinatedFileDataProviderTests {
        let folder: TemporaryFolder
        let url: URL
        let contents = TestBytes.mixed(300_000)
        let recorder = ConflictRecorder()

        init() throws {
            folder = try TemporaryFolder()
            let below = folder.file("a/b")
            try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
            url = below.appendingPathComponent("document")
            try contents.write(to: url)
        }

        func open(
            _ url: URL? = nil, _ source: FileWatcher = .shared
        ) throws -> CoordinatedFileDataProvider {
            let provider = CoordinatedFileDataProvider(fileURL: url ?? self.url, source: source)
            provider.coordinationDelegate = recorder
            _ = try provider.read(1, at: 0)
            return provider
        }

        @Test(arguments: OutsideChange.all, Watching.allCases)
        func changesByAnotherProcessAreReportedOnce(
            change: OutsideChange, watching: Watching
        ) throws {
            let provider = try open(nil, watching.source)
            try shell(change.script, url)
            #expect(recorder.has(1))
            #expect(settled(provider))
            #expect(recorder.reports == [change.type])
            #expect(provider.unresolvedConflict == change.type)
        }

        @Test(arguments: OutsideChange.all.prefix(8))
        func changesOfALinksTargetAreReported(change: OutsideChange) throws {
            let link = folder.file("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            let provider = try open(link)
            #expect(provider.fileURL == link)
            try shell(change.script, url)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [change.type])
        }

        @Test func aWriteThroughTheLinkIsReported() throws {
            let link = folder.file("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            let provider = try open(link)
            try shell("printf more >> \"$0\"", link)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
        }

        @Test func changesInTheSameProcessAreReported() throws {
            let manager = FileManager.default
            let changes: [(URL) throws -> FileConflictType] = [
                { url in
                    try Data("atomic".utf8).write(to: url, options: .atomic)
                    return .modification
                },
                { url in
                    let handle = try FileHandle(forWritingTo: url)
                    try handle.seekToEnd()
                    try handle.write(contentsOf: Data("more".utf8))
                    try handle.close()
                    return .modification
                },
                { url in
                    let handle = try FileHandle(forWritingTo: url)
                    try handle.truncate(atOffset: 2)
                    try handle.close()
                    return .modification
                },
                { url in
                    try FileDataProvider(fileURL: url).save([], Data("by another provider".utf8))
                    return .modification
                },
                { url in
                    try manager.removeItem(at: url)
                    return .deletion
                },
                { url in
                    try Data("again".utf8).write(to: url)
                    return .modification
                },
                { url in
                    try manager.moveItem(at: url, to: url.appendingPathExtension("old"))
                    return .deletion
                },
            ]
            let provider = try open()
            for (index, change) in changes.enumerated() {
                let type = try change(url)
                #expect(recorder.has(index + 1) && settled(provider))
                #expect(recorder.reports.count == index + 1 && recorder.reports.last == type)
                if type == .modification { try provider.resolveFileConflict(with: .reload) }
            }
        }

        @Test func whatInotifyDoesNotTellIsFoundByLooking() throws {
            let twin = folder.file("twin")
            let scripts = [
                "ln \"$0\" \"$1\"; printf more >> \"$1\"",  // a hard link elsewhere
                "mv \"$(dirname \"$(dirname \"$0\")\")\" \"$1\"",  // a folder further up
            ]
            let provider = try open(nil, FileWatcher(interval: .milliseconds(20)))
            for (index, script) in scripts.enumerated() {
                let result = try run("sh", "-ec", script, url.path, twin.path + "\(index)")
                #expect(result.status == 0, "\(result.errors)")
                #expect(recorder.has(index + 1))
            }
            #expect(settled(provider))
            #expect(recorder.reports == [.modification, .deletion])
        }

        @Test func aFileThatIsPutBackIsReportedAsAChange() throws {
            let provider = try open()
            try shell("mv \"$0\" \"$0.old\"", url)
            #expect(recorder.has(1))
            try shell("mv \"$0.old\" \"$0\"", url)
            #expect(recorder.has(2) && settled(provider))
            #expect(recorder.reports == [.deletion, .modification])
            #expect(provider.unresolvedConflict == nil)
            try provider.save(.append, Data("!".utf8))
            #expect(try Data(contentsOf: url) == contents + Data("!".utf8))
        }

        @Test(arguments: [
            "touch \"$0\"", "touch -d 2001-01-01 \"$0\"", "chmod 600 \"$0\"",
            "ln \"$0\" \"$0.link\"",
            ": >> \"$0\"", "cp \"$0\" \"$0.new\"; mv \"$0.new\" \"$0\"", "cat \"$0\"",
            // By one process: two of them may be so far apart that it is a deletion.
            "python3 -c 'import os, sys; f = sys.argv[1]; os.rename(f, f + \".old\"); os.rename(f + \".old\", f)' \"$0\"",
            "printf x > \"$0.other\"",
        ])
        func whatLeavesTheContentsIsNotReported(script: String) throws {
            let provider = try open()
            for _ in 0..<3 { try shell(script.replacing(" \"$0.link\"", with: " \"$0.$$\""), url) }
            #expect(settled(provider))
            #expect(recorder.reports.isEmpty)
            try provider.save(.append, Data("saved".utf8))
            try shell("printf more >> \"$0\"", url)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
        }

        @Test(arguments: Watching.allCases)
        func rewritingASmallFileWithTheSameBytesIsNotReported(watching: Watching) throws {
            try contents.prefix(60_000).write(to: url)
            let provider = try open(nil, watching.source)
            // In one write, without a moment in which the file is empty.
            let script =
                "cp \"$0\" \"$0.new\"; dd if=\"$0.new\" of=\"$0\" bs=64k conv=notrunc; touch \"$0\""
            for _ in 0..<3 { try shell(script, url) }
            #expect(settled(provider))
            try shell("printf more >> \"$0\"", url)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
        }

        @Test func ownSavesAreNotReported() throws {
            let provider = try open()
            for index in 0..<100 {
                try provider.save(index % 7 == 0 ? [] : .append, contents.prefix(3000 * index))
            }
            let clone = try provider.data()
            #expect(settled(provider))
            #expect(recorder.reports.isEmpty && provider.unresolvedConflict == nil)
            try provider.deleteData()
            #expect(settled(provider) && recorder.reports.isEmpty)
            try provider.save([], clone)
            try shell("printf more >> \"$0\"", url)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
        }

        @Test func outsideChangesBetweenOwnSavesAreAllReported() throws {
            let provider = try open()
            let changes = OutsideChange.all.prefix(8)
            for (index, change) in (changes + changes).enumerated() {
                for options in [.append, [], .append] as [DataSinkOptions] {
                    try provider.save(options, contents)
                }
                try shell(change.script, url)
                #expect(recorder.has(index + 1) && settled(provider))
                #expect(recorder.reports.count == index + 1, "\(change.testDescription)")
                let canSave = provider.isConflictResolutionAvailable && index % 2 == 0
                try provider.resolveFileConflict(with: canSave ? .save : .reload)
            }
            try provider.save([], contents)
            #expect(settled(provider))
            #expect(recorder.reports == changes.map(\.type) + changes.map(\.type))
        }

        /// The 4 KiB at the end and the size, which every commit compares, are the same.
        @Test func aSaveRightAfterAnUnseenEditIsAConflictAndTheEditIsReported() throws {
            let provider = try open()
            let sink = try provider.createDataSink(options: [])
            try sink.close()
            let handle = try FileHandle(forWritingTo: url)
            try handle.seek(toOffset: 5000)
            try handle.write(contentsOf: Data("edited".utf8))
            try handle.close()
            #expect(code { try provider.replaceContents(with: sink) } == .conflict)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
        }

        @Test func whileAWriterHoldsTheLockItsWorkIsNotReported() throws {
            let provider = try open()
            let writer = try OpenFile(url.path, O_RDWR)
            #expect(try writer.tryLock())
            try writer.truncate(to: 10)
            provider.monitor.source.drain()
            #expect(provider.monitor.look() == .locked)
            try writer.truncate(to: 20)
            writer.unlock()
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
            try provider.resolveFileConflict(with: .reload)
            #expect(provider.size == 20)
        }

        @Test func aFileThatMayNotBeReadIsNoChange() throws {
            let provider = try open()
            try shell("chmod 000 \"$0\"", url)
            provider.monitor.source.drain()
            provider.monitor.look()  // root may read it all the same
            #expect(recorder.reports.isEmpty)
            try shell("chmod 600 \"$0\"; printf more >> \"$0\"", url)
            #expect(recorder.has(1) && settled(provider))
            #expect(recorder.reports == [.modification])
        }
    }
#endif
