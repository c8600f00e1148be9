import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("CompressedDataProvider")
struct CompressedDataProviderTests {
    @Test func theFirstScreenOfTheReadme() throws {
        let url = try TemporaryFolder.uniqueFile("report.pdf.gz")
        let pdf = TestBytes.mixed(300_000)
        let sink = try CompressedDataSink(FileDataSink(fileURL: url))
        #expect(sink.write(pdf) && sink.finish())
        let provider = try CompressedDataProvider(url: url)
        #expect(
            try provider.readData(withSize: 4096, atOffset: 1 << 17)
                == pdf[1 << 17..<(1 << 17) + 4096])
        let save = try provider.createDataSink(options: .append)
        #expect(save.write(Data("%%EOF".utf8)) && save.finish())
        try provider.replaceContents(with: save)
        #expect(try gunzip(Data(contentsOf: url)) == pdf + Data("%%EOF".utf8))
    }

    @Test func theUidComesFromTheStoreAndStays() throws {
        let url = try TemporaryFolder.uniqueFile("a.gz")
        let provider = try CompressedDataProvider.create(in: FileDataProvider(fileURL: url))
        try provider.save([], Data("one".utf8))
        let moved = url.deletingLastPathComponent().appendingPathComponent("b.gz")
        try FileManager.default.moveItem(at: url, to: moved)
        #expect(try CompressedDataProvider(url: moved).uid == provider.uid)
        #expect(provider.uid == "quire-" + (try provider.info().uuid.uuidString.lowercased()))
    }

    @Test func aStoreIsNotMadeOverBytes() {
        let upstream = DataContainerProvider(data: Data("precious".utf8))
        #expect(code { _ = try CompressedDataProvider.create(in: upstream) } == .conflict)
        #expect(upstream.size == 8)
    }

    @Test func impossibleConfigurationsAreRefused() throws {
        for configuration in [
            CompressedDataProvider.Configuration(level: -1),
            .init(level: Codec.levels.upperBound + 1),
            .init(blockSize: 511), .init(blockSize: 1 << 20 + 1), .init(cacheByteBudget: -1),
        ] {
            #expect(
                code {
                    _ = try CompressedDataSink(DataContainerSink(), configuration: configuration)
                }
                    == .invalidArgument)
        }
        let appending = try DataContainerProvider(data: Data()).createDataSink(options: .append)
        #expect(code { _ = try CompressedDataSink(appending) } == .invalidArgument)
    }

    @Test func aStoreChangedUnderneathIsReadAnewAfterClearCache() throws {
        let url = try TemporaryFolder.uniqueFile("a.gz")
        let first = try CompressedDataProvider.create(in: FileDataProvider(fileURL: url))
        try first.save([], Data("first".utf8))
        let second = try CompressedDataProvider(url: url)
        try second.save(.append, Data(" second".utf8))
        #expect(try first.data() == Data("first".utf8))
        #expect(code { try first.save(.append, Data("lost?".utf8)) } == .conflict)
        first.clearCache()
        #expect(try first.data() == Data("first second".utf8))
        try first.save([], Data("third".utf8))
        #expect(try second.data() == Data("first second".utf8))
        #expect(first.error == nil)
    }

    @Test func anUpstreamChangedPastTheDecoratorIsAConflict() throws {
        let upstream = DataContainerProvider(data: try store(Data("one".utf8)))
        let (one, two) = (
            try CompressedDataProvider(upstream), try CompressedDataProvider(upstream)
        )
        let sink = try one.createDataSink(options: .append)
        try sink.close()
        try two.save(.append, Data("two".utf8))
        #expect(code { try one.replaceContents(with: sink) } == .conflict)
        #expect(code { _ = try one.createDataSink(options: .append) } == .conflict)
        #expect(try one.data() == Data("one".utf8))
        #expect(try two.data() == Data("onetwo".utf8))
    }

    @Test func aFailedUpstreamIsThrownUntouchedAndNothingIsLost() throws {
        let upstream = FullUpstream(try store(Data("whole".utf8)))
        let provider = try CompressedDataProvider(upstream)
        for options in [[], .append] as [DataSinkOptions] {
            let sink = try provider.createDataSink(options: options)
            #expect(!(sink.write(TestBytes.noise(1 << 20)) && sink.finish()))
            #expect(throws: POSIXError.self) { try provider.replaceContents(with: sink) }
            #expect(try provider.data() == Data("whole".utf8))
        }
        upstream.isFull = false
        try provider.save(.append, Data("!".utf8))
        #expect(try provider.data() == Data("whole!".utf8))
    }

    @Test func verifyNamesTheDamagedBlocksAndServesTheOthers() throws {
        let document = TestBytes.mixed(10 * 4096)
        var stored = try store(document)
        let blocks = try open(stored).blocks()
        for number in [2, 7] { stored[Int(blocks[number].fileOffset) + 50] ^= 1 }
        let provider = try open(stored)
        let damages = try provider.verify()
        #expect(damages.map(\.blockNumber) == [2, 7])
        #expect(damages.map(\.fileOffset) == [blocks[2].fileOffset, blocks[7].fileOffset])
        #expect(try provider.read(4096, at: 3 * 4096) == document[3 * 4096..<4 * 4096])
    }

    @Test func verifyFindsADamagedEarlierFooter() throws {
        var stored = try store(Data("one".utf8), appends: [Data("two".utf8)])
        let first = try open(stored).history()[1]
        stored[Int(first.storedSize) - 60] ^= 1
        let provider = try open(stored)
        #expect(try provider.data() == Data("onetwo".utf8))
        #expect(try provider.verify().count == 1)
        #expect(code { _ = try provider.history() } == .damagedFooter)
    }

    @Test func theOnlyFooterMayBeDamaged() throws {
        let document = TestBytes.mixed(30_000)
        let whole = try store(document)
        for index in whole.count - Footer.memberSize..<whole.count {
            var stored = whole
            stored[index] ^= 1
            guard let provider = try? open(stored) else {
                // A version or a required flag that is not known is refused.
                #expect(20..<28 ~= index - (whole.count - Footer.memberSize))
                continue
            }
            #expect(try provider.data() == document)
            // Appending drops the damaged footer.
            try provider.save(.append, Data("more".utf8))
            #expect(try provider.data() == document + Data("more".utf8))
            #expect(try provider.verify().isEmpty)
        }
    }

    @Test func aConfigurationsBlockSizeIsForNewStoresAndAppendsKeepTheirs() throws {
        let upstream = DataContainerProvider(data: try store(Data(count: 9000), blockSize: 4096))
        let provider = try CompressedDataProvider(upstream, configuration: .init(blockSize: 512))
        try provider.save(.append, Data(count: 9000))
        #expect(try provider.info().blockSize == 4096)
        try provider.save([], Data(count: 9000))
        #expect(try provider.info().blockSize == 512)
        #expect(try provider.info().blockCount == 18)
    }
}

/// An upstream whose disk is full.
private final class FullUpstream: DataProviding, @unchecked Sendable {
    private let upstream: DataContainerProvider
    var isFull = true
    init(_ stored: Data) { upstream = DataContainerProvider(data: stored) }
    var size: UInt64 { upstream.size }
    var uid: String { upstream.uid }
    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try upstream.readData(withSize: size, atOffset: offset)
    }
    func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        isFull ? FullSink(options) : try upstream.createDataSink(options: options)
    }
    func replaceContents(with sink: any DataSink) throws {
        try upstream.replaceContents(with: sink)
    }

    private final class FullSink: OrderedDataSink {
        let options: DataSinkOptions
        private(set) var isFinished = false
        var failure: (any Error)? { POSIXError(.ENOSPC) }
        init(_ options: DataSinkOptions) { self.options = options }
        func write(_ data: Data) -> Bool { false }
        func finish() -> Bool {
            isFinished = true
            return false
        }
        func barrier() -> Bool { false }
        func discardBase(beyond size: UInt64) -> Bool { true }
    }
}
