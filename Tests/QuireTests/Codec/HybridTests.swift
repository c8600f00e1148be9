import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Blocks with stored runs inside.
@Suite("Hybrid blocks")
struct HybridTests {
    /// Text with noise in it, as a PDF has streams.
    static func document(_ seed: UInt64) -> Data {
        var document = Data()
        for part in 0..<12 {
            document += Data("\(part) 0 obj <</Length 9000 /Filter /FlateDecode>>\nstream\n".utf8)
            document += TestBytes.noise(9000 - part * 500, seed: seed &+ UInt64(part))
            document += Data("\nendstream\nendobj\n".utf8)
            for line in 0..<60 { document += Data("\(line * 7 % 13) 0 R /Type /Page \n".utf8) }
        }
        return document
    }

    @Test(arguments: Favor.allCases)
    func storesOfEveryFavorAreReadAlike(favor: Favor) throws {
        let document = Self.document(1)
        let upstream = DataContainerProvider(data: Data())
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(favor: favor))
        try provider.save([], document)
        #expect(try CompressedDataProvider(upstream).data() == document)
        #expect(try gunzip(upstream.data()) == document)
        #expect(try provider.info().storedSize < UInt64(document.count))
    }

    @Test func theRunsAreWhereTheStreamsAre() throws {
        let document = Self.document(2)
        let runs = RunFinder.runs(of: document.bytes, inflatePrice: 0.1)
        #expect(runs.reduce(0) { $0 + $1.byteCount } == document.count)
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.isStored != $1.isStored })
        // Each boundary lies behind "stream\n" or in front of "endstream", to the byte.
        var position = 0
        for run in runs.dropLast() {
            position += run.byteCount
            let before = document[position - 7..<position] == Data("stream\n".utf8)
            let after = document[position..<position + 9] == Data("endstream".utf8)
            #expect(run.isStored ? after : before, "at \(position)")
        }
        #expect(runs.count == 24, "what is in front of the first stream is too short")
    }

    @Test func anyBytesAreTiledByRuns() throws {
        for size in Array(0...300) + [4095, 65_536, 65_537] {
            for data in [TestBytes.noise(size), Data(count: size), TestBytes.mixed(size)] {
                for price in [0, 0.1, 0.33] as [Float] {
                    let runs = RunFinder.runs(of: data.bytes, inflatePrice: price)
                    #expect(runs.reduce(0) { $0 + $1.byteCount } == size)
                    #expect(size == 0 || runs.allSatisfy { $0.byteCount > 0 })
                }
            }
        }
    }

    @Test func storedRunsOfADeflatedBlockAreReadWithoutInflating() throws {
        let document = Self.document(3)
        let stored = try store(document, blockSize: 65_536)
        let upstream = WatchedUpstream(stored)
        let provider = try CompressedDataProvider(
            upstream, configuration: .init(cacheByteBudget: 1))
        #expect(try provider.blocks().allSatisfy { !$0.isStored })
        #expect(try provider.data() == document)  // each block once; the cache keeps one
        upstream.resetCounts()
        let start = try #require(document.range(of: Data("stream\n".utf8))).upperBound
        for offset in stride(from: start, to: start + 8000, by: 1000) {
            #expect(try provider.read(1000, at: offset) == document[offset..<offset + 1000])
        }
        #expect(upstream.counts.readCount == 8)
        #expect(upstream.counts.byteCount == 8000)
        // Across the end of the run the block is inflated.
        let end = start + 9000
        #expect(try provider.read(100, at: end - 50) == document[end - 50..<end + 50])
        #expect(upstream.counts.byteCount > 20_000)
    }

    @Test func everyRangeOfAHybridBlockIsRightWhateverIsCached() throws {
        let document = Self.document(4)
        for budget in [1, 4 << 20] {
            let provider = try CompressedDataProvider(
                DataContainerProvider(data: store(document, blockSize: 65_536)),
                configuration: .init(cacheByteBudget: budget))
            var random = TestBytes(seed: 5)
            for _ in 0..<3000 {
                let offset = Int.random(in: 0...document.count, using: &random)
                let size = Int.random(in: 0...3000, using: &random)
                let expected = document.dropFirst(offset).prefix(size)
                #expect(try provider.read(size, at: offset) == expected)
            }
        }
    }
}
