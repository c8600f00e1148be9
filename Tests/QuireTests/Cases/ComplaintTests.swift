import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

/// What users of such providers complained about, by the numbers of the SDK fact sheet's section 16. Those of bridges
/// (36, 37, 39-41) are with the bridges.
@Suite("Complaints")
struct ComplaintTests {
    @Test func complaint2RendererAndProcessorReadOneProvider() throws {
        let document = TestBytes.mixed(500_000)
        let provider = try open(store(document))
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { reader in
            do {
                if reader % 2 == 0 {  // a renderer, here and there
                    var random = TestBytes(seed: UInt64(reader))
                    for _ in 0..<500 {
                        let offset = Int.random(in: 0..<document.count, using: &random)
                        let expected = document.dropFirst(offset).prefix(3000)
                        if try provider.read(3000, at: offset) != expected {
                            failures.add(1, ordering: .relaxed)
                        }
                    }
                } else {  // a processor, from the beginning to the end
                    for _ in 0..<20 where try provider.data() != document {
                        failures.add(1, ordering: .relaxed)
                    }
                }
            } catch { failures.add(1, ordering: .relaxed) }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: [0, 1, 4095, 4096, 5000])
    func complaint3ABytesInFrontOfTheHeaderDoNotShiftAnIncrementalSave(junk: Int) throws {
        let document = TestBytes.noise(junk) + Data("%PDF-1.7\n".utf8) + TestBytes.mixed(30_000)
        let update = Data("1 0 obj <<>> endobj\nxref\nstartxref\n\(document.count)\n%%EOF".utf8)
        let folder = try TemporaryFolder()
        let upstream = FileDataProvider(fileURL: folder.file("a.pdf.gz"))
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(blockSize: 4096))
        try provider.save([], document)
        try provider.save(.append, update)
        let reopened = try CompressedDataProvider(url: folder.file("a.pdf.gz"))
        #expect(try reopened.data() == document + update)
        #expect(try reopened.read(update.count, at: document.count) == update)
    }

    @Test func complaint4WhatWasAppendedIsThereAfterReopening() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("a.pdf.gz")
        var document = TestBytes.mixed(10_000)
        try CompressedDataProvider.create(in: FileDataProvider(fileURL: url)).save([], document)
        for number in 0..<20 {
            let tail = TestBytes.mixed(1 + number * 300, seed: UInt64(number))
            try CompressedDataProvider(url: url).save(.append, tail)
            document += tail
            #expect(try CompressedDataProvider(url: url).data() == document)
        }
    }

    @Test func complaint5NothingIsReadOfAFileThatIsNotComplete() throws {
        let folder = try TemporaryFolder()
        let url = try folder.file("a.pdf.gz", store(TestBytes.mixed(9000)).prefix(5000))
        let progress = Progress(totalUnitCount: 1)
        let file = FileDataProvider(fileURL: url, progress: progress)
        #expect(code { _ = try CompressedDataProvider(file) } == .dataProviderIsInFlight)
        try store(TestBytes.mixed(9000)).write(to: url)
        progress.completedUnitCount = 1
        #expect(try CompressedDataProvider(file).data() == TestBytes.mixed(9000))
    }

    @Test func complaint7SimilarDocumentsInMemoryHaveUIDsOfTheirOwn() throws {
        var document = TestBytes.mixed(100_000)
        var uids: Set<String> = []
        for place in stride(from: 0, to: document.count, by: 1009) {
            document[place] ^= 1
            uids.insert(DataContainerProvider(data: document).uid)
        }
        #expect(uids.count == (document.count + 1008) / 1009)
        let stores = try (0..<20).map { _ in try open(store(document)).uid }
        #expect(Set(stores).count == 20)
    }

    @Test func complaint8TheBytesUnderASignatureNeverChange() throws {
        let signed = TestBytes.mixed(50_000)
        let provider = try CompressedDataProvider.create(
            in: DataContainerProvider(data: Data()), configuration: .init(blockSize: 4096))
        try provider.save([], signed)
        for number in 0..<50 {
            try provider.save(.append, Data("annotation \(number)\n".utf8))
            #expect(try provider.read(signed.count, at: 0) == signed)
        }
    }

    @Test func complaint12AFailedSaveSaysWhy() throws {
        final class FullDisk: NSObject, DataSink {
            private(set) var isFinished = false
            var options: DataSinkOptions { [] }
            func write(_ data: Data) -> Bool { false }
            func finish() -> Bool { isFinished = true; return true }
        }
        let folder = try TemporaryFolder()
        let document = TestBytes.mixed(9000)
        let url = try folder.file("a.pdf.gz", store(document))
        let provider = try CompressedDataProvider(url: url)
        let sink = try provider.createDataSink(options: [])
        #expect(sink.write(Data("new".utf8)) && sink.finish())
        try FileManager.default.removeItem(at: url)  // changed past the provider
        let error = #expect(throws: QuireError.self) { try provider.replaceContents(with: sink) }
        #expect(error?.code == .conflict && error?.message.isEmpty == false)
        // A sink of another's upstream that fails without a word: the code says so at least.
        let packed = try CompressedDataSink(FullDisk())
        #expect(!(packed.write(document) && packed.finish()) && packed.failure != nil)
    }

    @Test func complaint23AReadAtTheEndDoesNotStartAtTheBeginning() throws {
        let document = TestBytes.mixed(4 << 20)
        let upstream = WatchedUpstream(try store(document, blockSize: 65_536))
        let provider = try CompressedDataProvider(upstream)
        upstream.resetCounts()
        #expect(try provider.read(1000, at: document.count - 1000) == document.suffix(1000))
        #expect(upstream.counts.byteCount < 70_000)
        #expect(upstream.counts.readCount <= 2)
    }

    @Test func complaint26SmallReadsDecodeEachBlockOnce() throws {
        let document = Data((0..<100_000).flatMap { String(format: "%07d\n", $0).utf8 })
        for size in [512, 4096, 8192] {
            let upstream = WatchedUpstream(try store(document, blockSize: 65_536))
            let provider = try CompressedDataProvider(upstream)
            let blockCount = try provider.info().blockCount
            upstream.resetCounts()
            for offset in stride(from: 0, to: document.count, by: size) {
                #expect(
                    try provider.read(size, at: offset).count == min(size, document.count - offset))
            }
            #expect(upstream.counts.readCount == blockCount)
        }
    }

    @Test func case49And50ACacheOfOneByteInflatesEachBlockOnceInAScan() throws {
        let document = Data((0..<12_500).flatMap { String(format: "%07d\n", $0).utf8 })
        let upstream = WatchedUpstream(try store(document, blockSize: 65_536))
        let provider = try CompressedDataProvider(
            upstream, configuration: .init(cacheByteBudget: 1))
        upstream.resetCounts()
        for index in 0..<1000 {
            #expect(
                try provider.read(100, at: index * 100)
                    == document.dropFirst(index * 100).prefix(100))
        }
        #expect(upstream.counts.readCount == 2)
    }

    @Test func complaint28TheSizeIsKnownWithoutDecoding() throws {
        let document = TestBytes.mixed(8 << 20)
        let upstream = WatchedUpstream(try store(document, blockSize: 65_536))
        let provider = try CompressedDataProvider(upstream)
        #expect(provider.size == UInt64(document.count))
        #expect(upstream.counts.byteCount <= 4096 && upstream.counts.readCount == 1)
        #expect(try provider.read(4096, at: 1 << 20).count == 4096)
        #expect(upstream.counts.byteCount < 4096 + 2 * 66_000)
    }

    @Test func complaint29AWrongDeclaredSizeIsRejected() throws {
        for change in [-1, 1, 1 << 40] {
            var crafted = CraftedStore()
            try crafted.add(Data("some bytes".utf8))
            let stored = crafted.finished { $0.documentSize = UInt64(10 + change) }
            #expect(code { _ = try open(stored) } == .damagedIndex)
        }
        // And "a store that is none".
        #expect(code { _ = try open(TestBytes.noise(5000)) } == .notAStore)
        #expect(code { _ = try open(Data("%PDF-1.7\n%%EOF".utf8)) } == .notAStore)
    }

    @Test(arguments: [1, 100, 4095])
    func complaint31ShortReadsOfTheUpstreamAreContinued(limit: Int) throws {
        let document = TestBytes.mixed(30_000)
        let upstream = WatchedUpstream(try store(document), readLimit: limit)
        let provider = try CompressedDataProvider(upstream)
        #expect(try provider.data() == document)
        #expect(try provider.data() == document)  // stored blocks straight from the upstream
        #expect(try provider.verify().isEmpty)
    }
}
