import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Append, replace, disk.
@Suite("Cases H: saving")
struct AppendCases {
    @Test func case53AHundredAppendsOfEachSizeAreSeenByEveryReader() throws {
        let block = 4096
        let url = try TemporaryFolder.uniqueFile("appended.gz")
        let created = try CompressedDataProvider.create(
            in: FileDataProvider(fileURL: url), configuration: .init(blockSize: block))
        try created.save([], Data("base".utf8))
        var document = Data("base".utf8)
        for round in 0..<100 {
            for size in [1, 0, block, 3 * block + 7] {
                let tail = TestBytes.mixed(size, seed: UInt64(round))
                try CompressedDataProvider(url: url).save(.append, tail)
                document.append(tail)
            }
            let reopened = try CompressedDataProvider(url: url)
            #expect(reopened.size == UInt64(document.count))
            #expect(
                try reopened.readData(withSize: .max, atOffset: UInt64(document.count - 100))
                    == document.suffix(100))
            if round % 10 == 9 {
                #expect(try reopened.data() == document)
                #expect(try gunzip(Data(contentsOf: url)) == document)
            }
        }
        let provider = try CompressedDataProvider(url: url)
        #expect(try provider.history().count == 401)
        #expect(try provider.verify().isEmpty)
        // Logarithmic, or opening would read 400 segments.
        #expect(try provider.current().store.segments.count < 12)
    }

    @Test func case56AppendsRemoveATornTailOfAnyLength() throws {
        let (base, torn) = (TestBytes.mixed(6000, seed: 1), TestBytes.mixed(300, seed: 2))
        let whole = try store(base, appends: [torn])
        let first = try store(base).count
        for length in 1..<whole.count - first {
            let upstream = DataContainerProvider(data: whole.prefix(first + length))
            let provider = try CompressedDataProvider(upstream)
            try provider.save(.append, Data("new".utf8))
            #expect(try provider.data() == base + Data("new".utf8))
            #expect(try CompressedDataProvider(upstream).verify().isEmpty)
            if length % 20 == 1 {
                #expect(try gunzip(upstream.data()) == base + Data("new".utf8))
            }
        }
    }

    /// What a disk has that got the first sector of an append and not the next.
    @Test(arguments: [0, 300])
    func case55AnAppendThatEndsInZerosIsThePreviousRevision(size: Int) throws {
        let (base, tail) = (TestBytes.mixed(6000, seed: 1), TestBytes.mixed(size, seed: 2))
        let whole = try store(base, appends: [tail])
        // A footer ends with zeros itself.
        let end = whole.count - (MemberHeader.emptyEnd.count - 1)
        for length in try store(base).count..<whole.count {
            let document = try open(whole.prefix(length) + Data(count: 512)).data()
            #expect(document == (length < end ? base : base + tail), "\(length)")
        }
    }

    @Test func case56AnUpstreamThatCannotCutIsRewritten() throws {
        let base = TestBytes.mixed(6000)
        let upstream = ExampleDataProvider(data: try store(base) + Data(count: 100))
        let provider = try CompressedDataProvider(upstream)
        try provider.save(.append, Data("new".utf8))
        #expect(try provider.data() == base + Data("new".utf8))
        #expect(try gunzip(upstream.data()) == base + Data("new".utf8))
    }

    @Test(arguments: [[], .append] as [DataSinkOptions])
    func case58ADroppedSaveLeavesNoFileAndNoChange(options: DataSinkOptions) throws {
        let folder = try TemporaryFolder()
        let url = try folder.file("a.gz", store(TestBytes.mixed(100_000)))
        let before = try Data(contentsOf: url)
        for isFinished in [false, true] {
            let provider = try CompressedDataProvider(url: url)
            let sink = try provider.createDataSink(options: options)
            #expect(sink.write(TestBytes.noise(3 << 20)))
            if isFinished { #expect(sink.finish()) }
        }
        #expect(folder.names == ["a.gz"])
        #expect(try Data(contentsOf: url) == before)
    }
}
