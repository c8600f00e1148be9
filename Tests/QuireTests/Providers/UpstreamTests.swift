import Foundation
import QuireCrypto
import QuireTesting
import Synchronization
import Testing

@testable import Quire

@Suite("Upstreams")
struct UpstreamTests {
    @Test func anErrorThatPassesIsNotSaidForEver() throws {
        let secret = AESCryptoSecret.key { Data(repeating: 1, count: 32) }
        let memory = DataContainerProvider(data: Data())
        let document = TestBytes.mixed(5000)
        try AESCryptoDataProvider(memory, secret: secret).save([], document)
        let provider = AESCryptoDataProvider(
            WatchedUpstream(try memory.data(), failingRead: 0), secret: secret)
        #expect(throws: POSIXError.self) { try provider.data() }
        #expect(try provider.data() == document)
    }

    @Test func aVerdictOnTheBytesIsSaidAgainWithoutReadingThem() throws {
        let secret = AESCryptoSecret.key { Data(repeating: 1, count: 32) }
        let upstream = WatchedUpstream(TestBytes.noise(5000))
        let provider = AESCryptoDataProvider(upstream, secret: secret)
        let first = code { _ = try provider.data() }
        let count = upstream.counts.readCount
        #expect(first != nil && code { _ = try provider.data() } == first)
        #expect(upstream.counts.readCount == count)
    }

    /// Lets something else happen just before it makes a sink.
    private final class InterruptedUpstream: DataProviding, Sendable {
        private let memory = DataContainerProvider(data: Data())
        let before = Mutex<(@Sendable () throws -> Void)?>(nil)
        var size: UInt64 { memory.size }
        var uid: String { memory.uid }
        var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }
        func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
            try memory.readData(withSize: size, atOffset: offset)
        }
        func createDataSink(options: DataSinkOptions) throws -> any DataSink {
            try before.withLock { $0.take() }?()
            return try memory.createDataSink(options: options)
        }
        func replaceContents(with sink: any DataSink) throws {
            try memory.replaceContents(with: sink)
        }
    }

    /// Encrypts, or compresses, what is in an upstream or is yet to come.
    private func decorator(
        _ isAES: Bool, over upstream: any DataProviding & Sendable
    ) throws -> any DataProviding & Sendable {
        if isAES {
            let secret = AESCryptoSecret.key { Data(repeating: 1, count: 32) }
            return AESCryptoDataProvider(upstream, secret: secret)
        }
        return upstream.size > 0
            ? try CompressedDataProvider(upstream) : try .create(in: upstream)
    }

    @Test(arguments: [true, false]) func aSaveThatBeginsDuringAnotherContinuesIt(isAES: Bool) throws
    {
        let upstream = InterruptedUpstream()
        let provider = try decorator(isAES, over: upstream)
        try provider.save([], Data("one".utf8))
        upstream.before.withLock { $0 = { try provider.save(.append, Data(" two".utf8)) } }
        try provider.save(.append, Data(" three".utf8))
        #expect(try provider.data() == Data("one two three".utf8))
    }

    @Test(arguments: [true, false]) func aCacheIsClearedDuringASaveWithoutHarm(isAES: Bool) throws {
        let url = try TemporaryFolder.uniqueFile("document")
        let upstream = FileDataProvider(fileURL: url)
        let provider = try decorator(isAES, over: upstream)
        try provider.save([], Data("one".utf8))
        for options in [.append, []] as [DataSinkOptions] {
            let sink = try provider.createDataSink(options: options)
            try sink.put(Data(" two".utf8))
            provider.clearCache()
            try sink.close()
            provider.clearCache()
            try provider.replaceContents(with: sink)
            #expect(try provider.data() == Data(options.isEmpty ? " two".utf8 : "one two".utf8))
        }
        // What comes from elsewhere is still a conflict.
        let late = try provider.createDataSink(options: .append)
        try late.put(Data("late".utf8))
        try late.close()
        let other = try decorator(isAES, over: FileDataProvider(fileURL: url))
        try other.save(.append, Data(" three".utf8))
        provider.clearCache()
        #expect(code { try provider.replaceContents(with: late) } == .conflict)
        #expect(try provider.data() == Data(" two three".utf8))
    }

    /// A provider of one version whose reads take a while.
    private final class SlowProvider: DataProviding, Sendable {
        private let memory: DataContainerProvider
        init(_ data: Data) { memory = DataContainerProvider(data: data) }
        var size: UInt64 { memory.size }
        var uid: String { memory.uid }
        var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }
        func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
            Thread.sleep(forTimeInterval: 0.01)
            return try memory.readData(withSize: size, atOffset: offset)
        }
        func createDataSink(options: DataSinkOptions) throws -> any DataSink {
            try memory.createDataSink(options: options)
        }
        func replaceContents(with sink: any DataSink) throws {
            try memory.replaceContents(with: sink)
        }
    }

    @Test func aCommitDoesNotStarveBehindReaders() throws {
        let provider = try CompressedDataProvider(
            SlowProvider(try store(TestBytes.mixed(500_000))),
            configuration: .init(cacheByteBudget: 1))
        let isDone = Atomic(false)
        let elapsed = Mutex(Duration.zero)
        DispatchQueue.concurrentPerform(iterations: 5) { thread in
            if thread == 0 {
                let sink = try? provider.createDataSink(options: [])
                _ = sink.map { $0.write(Data("new".utf8)) && $0.finish() }
                let time = ContinuousClock().measure {
                    if let sink { try? provider.replaceContents(with: sink) }
                }
                elapsed.withLock { $0 = time }
                isDone.store(true, ordering: .relaxed)
            }
            var random = TestBytes(seed: UInt64(thread))
            while !isDone.load(ordering: .relaxed) {
                _ = try? provider.read(10, at: Int.random(in: 0..<500_000, using: &random))
            }
        }
        #expect(try provider.data() == Data("new".utf8))
        #expect(elapsed.withLock { $0 } < .seconds(5))
    }

    @Test(arguments: [AESCryptoDataProvider.Authentication.beforeFirstRead, .deferred])
    func anAppendDoesNotMakeAlteredBytesGenuine(
        authentication: AESCryptoDataProvider.Authentication
    ) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("a.aes")
        let secret = AESCryptoSecret.key { Data(repeating: 1, count: 32) }
        try AESCryptoDataProvider(FileDataProvider(fileURL: url), secret: secret)
            .save([], TestBytes.mixed(300_000))
        let provider = AESCryptoDataProvider(
            FileDataProvider(fileURL: url), secret: secret, authentication: authentication)
        _ = try provider.read(10, at: 0)
        let handle = try FileHandle(forUpdating: url)
        try handle.seek(toOffset: 100_000)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: 100_000)
        try handle.write(contentsOf: Data([byte ^ 1]))
        try handle.close()
        #expect(code { try provider.save(.append, Data("!".utf8)) } == .authenticationFailed)
    }

    @Test func pathsAreThoseOfTheKernel() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "a/b"] {
            try FileManager.default.createDirectory(
                at: folder.file(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("l").path, withDestinationPath: "a/b")
        let url = URL(fileURLWithPath: folder.url.path + "/l/../new")
        try FileDataProvider(fileURL: url).save([], Data("x".utf8))
        #expect(try Data(contentsOf: folder.file("a/new")) == Data("x".utf8))
        #expect(folder.names == ["a", "l"])
        let nowhere = URL(fileURLWithPath: folder.url.path + "/x/../new")
        #expect(throws: QuireError.self) {
            try FileDataProvider(fileURL: nowhere).save([], Data("x".utf8))
        }
    }
}
