import Foundation
import QuireTesting
import Testing

@testable import Quire

/// What users of such providers complained about, by the numbers of the SDK fact sheet's section 16. Those of bridges
/// (36, 37, 39-41) are with the bridges.
@Suite("Complaints")
struct ComplaintTests {
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
