import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire
@testable import QuireCrypto

@Suite("AESCryptoDataProvider")
struct AESCryptoDataProviderTests {
    @Test func theStackOfTheReadme() throws {
        let url = try TemporaryFolder.uniqueFile("report.pdf.aes")
        let pdf = TestBytes.mixed(300_000)
        let secret = AESCryptoSecret.passphrase { "correct horse battery staple" }
        let sink = try CompressedDataSink(
            AESCryptoDataSink(FileDataSink(fileURL: url), secret: secret))
        #expect(sink.write(pdf) && sink.finish())
        let file = FileDataProvider(fileURL: url)
        let provider = try CompressedDataProvider(AESCryptoDataProvider(file, secret: secret))
        #expect(try provider.data() == pdf)
        #expect(file.size < 200_000)
        try provider.save(.append, Data("%%EOF".utf8))
        #expect(
            try CompressedDataProvider(AESCryptoDataProvider(file, secret: secret)).data()
                == pdf + Data("%%EOF".utf8))
    }

    @Test func noStackAllowsADiskCache() throws {
        let aes = decrypt(try message(store(Data("x".utf8))))
        #expect(!aes.useDiskCache)
        #expect(!(try CompressedDataProvider(aes).useDiskCache))
        #expect(
            !AESCryptoDataProvider(try open(store(message(Data()))), secret: .quick).useDiskCache)
    }

    @Test func theMessageIsReadOnceBeforeTheFirstByte() throws {
        let stored = try message(TestBytes.mixed(1 << 20))
        let upstream = WatchedUpstream(stored)
        let provider = AESCryptoDataProvider(upstream, secret: .quick)
        #expect(upstream.counts.readCount == 0)
        _ = try provider.read(100, at: 500_000)
        // The header, all but the tag, the tag, the last two blocks, and what was asked for.
        #expect(upstream.counts.byteCount == 18 + stored.count + 32 + 128)
        upstream.resetCounts()
        _ = try provider.read(100, at: 100)
        #expect(upstream.counts.readCount == 1 && upstream.counts.byteCount == 16 + 112)
    }

    @Test(arguments: [1, 15, 4096, 65_536, 65_537, 131_072])
    func aReadReadsItsBlocksAndOneMore(size: Int) throws {
        let document = TestBytes.mixed(1 << 18)
        let upstream = WatchedUpstream(try message(document))
        let provider = AESCryptoDataProvider(upstream, secret: .quick)
        _ = provider.size
        for offset in [0, 1, 16, 17, 70_000, document.count - size] {
            upstream.resetCounts()
            #expect(
                try provider.read(size, at: offset) == document[offset..<offset + size])
            let blocks = (offset + size + 15) / 16 - offset / 16
            #expect(upstream.counts.byteCount == 16 * (blocks + 1))
            #expect(upstream.counts.readCount == (16 * blocks + 15) / Message.chunkSize + 1)
        }
    }

    @Test(arguments: [1, 7, 100])
    func shortReadsOfTheUpstreamAreContinued(limit: Int) throws {
        let document = TestBytes.mixed(5000)
        let upstream = WatchedUpstream(try message(document), readLimit: limit)
        #expect(try AESCryptoDataProvider(upstream, secret: .quick).data() == document)
    }

    @Test func anErrorOfTheUpstreamPassesThroughAndServesNothing() throws {
        let document = TestBytes.mixed(200_000)
        let stored = try message(document)
        var failures = 0
        for number in 0..<20 {
            let provider = AESCryptoDataProvider(
                WatchedUpstream(stored, failingRead: number), secret: .quick)
            do {
                let data = try provider.data()
                #expect(data == document)
            } catch {
                #expect((error as? POSIXError)?.code == .EIO)
                failures += 1
                #expect(provider.error is POSIXError)
            }
        }
        // Header, 2 chunks, tag, last blocks, 2 chunks.
        #expect(failures == 7)
    }

    @Test func theSecretIsAskedForAtOpeningAndAtEachSave() throws {
        let count = Atomic(0)
        let secret = AESCryptoSecret.key {
            count.add(1, ordering: .relaxed)
            return Data(0..<32)
        }
        let provider = decrypt(try message(Data("x".utf8)), secret)
        var asked: Int { count.load(ordering: .relaxed) }
        #expect(asked == 0)
        for _ in 0..<3 { #expect(try provider.data().count == 1) }
        #expect(asked == 1)
        try provider.save(.append, Data("y".utf8))
        #expect(try provider.data() == Data("xy".utf8) && asked == 2)
        provider.clearCache()
        #expect(try provider.data() == Data("xy".utf8) && asked == 3)
    }

    @Test func manyThreadsOpenAMessageOnce() throws {
        let count = Atomic(0)
        let secret = AESCryptoSecret.key {
            count.add(1, ordering: .relaxed)
            Thread.sleep(forTimeInterval: 0.05)
            return Data(0..<32)
        }
        let provider = decrypt(try message(Data("x".utf8)), secret)
        let sizes = Atomic<UInt64>(0)
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            sizes.add(provider.size, ordering: .relaxed)
        }
        #expect(count.load(ordering: .relaxed) == 1 && sizes.load(ordering: .relaxed) == 16)
    }

    @Test func everySaveHasFreshSaltsAndAFreshIV() throws {
        let upstream = DataContainerProvider(data: Data())
        let provider = AESCryptoDataProvider(upstream, secret: .word)
        var headers: Set<Data> = []
        for options in [[], [], .append, .append] as [DataSinkOptions] {
            try provider.save(options, Data("same".utf8))
            let header = try upstream.data().prefix(34)
            for range in [2..<10, 10..<18, 18..<34] { headers.insert(header.subdata(in: range)) }
        }
        #expect(headers.count == 12)
    }

    @Test func aMissingFileIsMadeByTheFirstSave() throws {
        for options in [[], .append] as [DataSinkOptions] {
            let file = try CryptoConformanceTests.file("new.aes")
            let provider = AESCryptoDataProvider(file, secret: .quick)
            #expect(code { _ = try provider.data() } == .fileNotFound && provider.size == 0)
            try provider.save(options, Data("first".utf8))
            #expect(try provider.data() == Data("first".utf8))
            #expect(provider.fileURL == file.fileURL && provider.error == nil)
            try provider.deleteData()
            #expect(code { _ = try provider.data() } == .fileNotFound)
        }
    }

    @Test func aFileInFlightIsNotOpenedUntilItIsThere() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let progress = Progress(totalUnitCount: 1)
        let provider = AESCryptoDataProvider(
            FileDataProvider(fileURL: url, progress: progress), secret: .quick)
        #expect(code { _ = try provider.data() } == .dataProviderIsInFlight && provider.size == 0)
        #expect(code { _ = try provider.createDataSink() } == .dataProviderIsInFlight)
        try message(Data("there".utf8)).write(to: url)
        progress.completedUnitCount = 1
        #expect(try provider.data() == Data("there".utf8))
    }

    @Test func anEmptyUpstreamHoldsNoDocument() throws {
        let provider = decrypt(Data())
        #expect(code { _ = try provider.data() } == .truncated)
        try provider.save(.append, Data())
        #expect(try provider.data() == Data() && provider.error == nil)
    }

    @Test func anUpstreamChangedPastTheProviderIsAConflict() throws {
        let upstream = DataContainerProvider(data: try message(Data("base".utf8)))
        let (one, two) = (
            AESCryptoDataProvider(upstream, secret: .quick),
            AESCryptoDataProvider(upstream, secret: .quick)
        )
        #expect(one.size == 4 && two.size == 4)
        try two.save([], Data("BASE".utf8))  // of the same size
        #expect(code { _ = try one.createDataSink(options: .append) } == .conflict)
        #expect(try one.data() == Data("base".utf8))
        one.clearCache()
        try one.save(.append, Data("!".utf8))
        #expect(try one.data() == Data("BASE!".utf8))
    }

    @Test func aFileReplacedFromOutsideIsReadAnewAfterClearCache() throws {
        let file = try CryptoConformanceTests.file("document.aes")
        let provider = try CryptoConformanceTests.encrypted(Data("first".utf8), into: file)
        try message(Data("second".utf8)).write(to: #require(file.fileURL), options: .atomic)
        #expect(try provider.data() == Data("first".utf8))
        provider.clearCache()
        #expect(try provider.data() == Data("second".utf8))
    }

    @Test func oneMessageIsHeldInChunksWhateverItsSize() throws {
        let upstream = MeasuringProvider()
        let provider = AESCryptoDataProvider(upstream, secret: .quick)
        let part = TestBytes.mixed(1 << 20)
        let sink = try provider.createDataSink(options: [])
        for _ in 0..<32 { try sink.put(part) }
        try sink.close()
        try provider.replaceContents(with: sink)
        provider.clearCache()
        try provider.save(.append, part)
        #expect(provider.size == 33 << 20)
        #expect(try provider.read(1 << 20, at: 32 << 20) == part)
        #expect(upstream.largestRead <= Message.chunkSize)
        #expect(upstream.largestWrite <= Message.chunkSize)
    }

    @Test func wipingOverwrites() {
        var bytes: [UInt8] = Array(1...100)
        unsafe bytes.withUnsafeMutableBytes { unsafe Library.wipe($0) }
        #expect(bytes == Array(repeating: 0, count: 100))
    }
}

/// Memory that knows the largest read and write it has seen.
private final class MeasuringProvider: DataProviding, Sendable {
    private let contents = DataContainerProvider(data: Data())
    private let read = Atomic(0)
    private let written = Atomic(0)

    var largestRead: Int { read.load(ordering: .relaxed) }
    var largestWrite: Int { written.load(ordering: .relaxed) }
    var size: UInt64 { contents.size }
    let uid = "measuring"
    var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        read.max(Int(size), ordering: .relaxed)
        return try contents.readData(withSize: size, atOffset: offset)
    }

    func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        Sink(try contents.createDataSink(options: options), self)
    }

    func replaceContents(with sink: any DataSink) throws {
        guard let sink = sink as? Sink else { throw CocoaError(.featureUnsupported) }
        try contents.replaceContents(with: sink.sink)
    }

    private final class Sink: DataSink {
        let sink: any DataSink
        let provider: MeasuringProvider
        init(_ sink: any DataSink, _ provider: MeasuringProvider) {
            (self.sink, self.provider) = (sink, provider)
        }
        var isFinished: Bool { sink.isFinished }
        var options: DataSinkOptions { sink.options }
        func write(_ data: Data) -> Bool {
            provider.written.max(data.count, ordering: .relaxed)
            return sink.write(data)
        }
        func finish() -> Bool { sink.finish() }
    }
}
