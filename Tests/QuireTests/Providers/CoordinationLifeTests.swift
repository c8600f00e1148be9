import Foundation
import QuireTesting
import Testing

@testable import Quire

#if os(Linux)
    @Suite("Life of a coordinated provider")
    struct CoordinationLifeTests {
        let folder: TemporaryFolder
        let url: URL
        let recorder = ConflictRecorder()

        init() throws {
            folder = try TemporaryFolder()
            url = try folder.file("document", Data("contents".utf8))
        }

        func open(_ url: URL, _ watcher: FileWatcher) throws -> CoordinatedFileDataProvider {
            let provider = CoordinatedFileDataProvider(fileURL: url, source: watcher)
            provider.coordinationDelegate = recorder
            _ = try provider.read(1, at: 0)
            return provider
        }

        @Test(.enabled(if: mayOpen(1500), "the hard limit of open files is below 1500"))
        func aThousandOpenFilesCostAWatchForEachFolder() throws {
            let watcher = FileWatcher()
            var providers: [CoordinatedFileDataProvider] = []
            for index in 0..<1000 {
                let below = folder.file("\(index % 10)")
                try FileManager.default.createDirectory(
                    at: below, withIntermediateDirectories: true)
                let url = below.appendingPathComponent("\(index)")
                try Data("document \(index)".utf8).write(to: url)
                providers.append(try open(url, watcher))
            }
            #expect(watcher.counts == (1000, 10))
            #expect(providers.allSatisfy { settled($0) })
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter
            {
                let path = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/" + $0)
                return path?.hasPrefix(folder.url.path) == true
            }
            #expect(links.count == 1000)
            let changed = providers[500]
            changed.coordinationDelegate = nil
            let own = ConflictRecorder()
            changed.coordinationDelegate = own
            try shell("printf more >> \"$0\"", try #require(changed.fileURL))
            #expect(own.has(1))
            #expect(providers.allSatisfy { settled($0) })
            #expect(own.reports == [.modification] && recorder.reports.isEmpty)
            providers = []
        }

        @Test func theLastReleaseEndsTheWatch() throws {
            let watcher = FileWatcher(interval: .milliseconds(5))
            weak var released: CoordinatedFileDataProvider?
            do {
                let provider = try open(url, watcher)
                let twin = try open(url, watcher)
                #expect(watcher.counts == (2, 1))
                try shell("printf more >> \"$0\"", url)  // a look is due when it goes
                released = provider
                _ = (provider, twin)
            }
            #expect(eventually { released == nil && watcher.counts == (0, 0) })
            let again = try open(url, watcher)
            #expect(watcher.counts == (1, 1))
            try shell("printf more >> \"$0\"", url)
            #expect(recorder.has(1) && settled(again))
        }

        @Test func aProviderThatIsReleasedInItsDelegateIsGone() throws {
            let watcher = FileWatcher()
            nonisolated(unsafe) var provider: CoordinatedFileDataProvider? =
                CoordinatedFileDataProvider(fileURL: url, source: watcher)
            // SAFETY: set here before and let go of in the one call.
            weak let released = unsafe provider
            let letGo = ConflictRecorder { _ in unsafe provider = nil }
            unsafe provider?.coordinationDelegate = letGo
            unsafe _ = try provider?.data()
            try shell("printf more >> \"$0\"", url)
            #expect(letGo.has(1))
            #expect(eventually { released == nil && watcher.counts == (0, 0) })
        }

        @Test func aFileThatIsNotOpenIsNotWatched() throws {
            let watcher = FileWatcher()
            let provider = CoordinatedFileDataProvider(fileURL: url, source: watcher)
            #expect(watcher.counts == (0, 0) && provider.unresolvedConflict == nil)
            #expect(!provider.isConflictResolutionAvailable)
            try shell("printf new > \"$0\"", url)
            #expect(try provider.data() == Data("new".utf8))
            #expect(watcher.counts == (1, 1))
        }

        @Test func inFlightEverythingFailsUntilTheProgressIsFinished() throws {
            let progress = Progress(totalUnitCount: 1)
            let provider = CoordinatedFileDataProvider(fileURL: url, progress: progress)
            provider.coordinationDelegate = recorder
            #expect(code { _ = try provider.data() } == .dataProviderIsInFlight)
            #expect(code { _ = try provider.createDataSink() } == .dataProviderIsInFlight)
            #expect(provider.size == 0 && !provider.canWrite)
            try shell("printf new > \"$0\"", url)
            progress.completedUnitCount = 1
            #expect(try provider.data() == Data("new".utf8))
            #expect(settled(provider) && recorder.reports.isEmpty)
        }
    }

    /// Raises the limit of open files to `count`, if that may be done.
    private func mayOpen(_ count: rlim_t) -> Bool {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_max >= count
        else { return false }
        limit.rlim_cur = max(limit.rlim_cur, count)
        return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    }
#endif
