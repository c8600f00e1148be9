import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

@Suite("Prefetcher")
struct PrefetcherTests {
    private static let blockSize = 4096

    /// A store of so many blocks.
    private func makeStore(blockCount: Int) throws -> Store {
        let document = Data(count: blockCount * Self.blockSize)
        return try StoreReader.open(DataContainerProvider(data: store(document)))
    }

    private func prefetcher(budgetInBlocks: Int = 64, workerLimit: Int = 1) -> Prefetcher {
        Prefetcher(cacheByteBudget: budgetInBlocks * Self.blockSize, workerLimit: workerLimit)
    }

    /// All that is planned, as a task would take it.
    private func drain(_ prefetcher: Prefetcher) -> [Int] {
        var numbers: [Int] = []
        while let next = prefetcher.next(isWorker: numbers.isEmpty) { numbers.append(next.number) }
        return numbers
    }

    @Test func itBeginsAfterTwoStepsAndDoubles() throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 100))
        #expect(!prefetcher.moves(to: 0, of: store) && !prefetcher.moves(to: 1, of: store))
        #expect(prefetcher.moves(to: 2, of: store))
        #expect(drain(prefetcher) == [3, 4])
        _ = prefetcher.next(isWorker: true)
        #expect(prefetcher.moves(to: 3, of: store))
        #expect(drain(prefetcher) == [5, 6, 7])
    }

    @Test func theSameBlockAgainIsNoStep() throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 100))
        for number in [0, 0, 0, 1, 1, 1] { #expect(!prefetcher.moves(to: number, of: store)) }
        #expect(prefetcher.moves(to: 2, of: store))
    }

    @Test(arguments: [3, 5, 0, 99]) func aSeekEndsIt(target: Int) throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 100))
        for number in 0...1 { _ = prefetcher.moves(to: number, of: store) }
        #expect(prefetcher.moves(to: 2, of: store))
        if target == 3 {
            #expect(!prefetcher.moves(to: target, of: store), "a task is under way")
            #expect(drain(prefetcher).first == 4, "3 is being read")
        } else {
            #expect(!prefetcher.moves(to: target, of: store))
            #expect(drain(prefetcher) == [])
            #expect(!prefetcher.moves(to: target + 1, of: store))
        }
    }

    @Test func blocksBackwardsAreNoSteps() throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 100))
        for number in (0..<100).reversed() { #expect(!prefetcher.moves(to: number, of: store)) }
    }

    @Test(arguments: [(3, 0), (4, 2), (8, 4), (1000, 16)])
    func halfOfTheCacheIsTheLimit(budgetInBlocks: Int, limit: Int) throws {
        let store = try makeStore(blockCount: 100)
        let prefetcher = prefetcher(budgetInBlocks: budgetInBlocks)
        var loaded = 0
        for number in 0..<90 {
            _ = prefetcher.moves(to: number, of: store)
            for next in drain(prefetcher) {
                #expect(next > number && next <= number + limit && next > loaded)
                loaded = next
            }
        }
        #expect(limit == 0 ? loaded == 0 : loaded > 89)
    }

    @Test func itStopsAtTheEnd() throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 5))
        var loaded: [Int] = []
        for number in 0..<5 {
            _ = prefetcher.moves(to: number, of: store)
            loaded += drain(prefetcher)
        }
        #expect(loaded == [3, 4])
    }

    @Test func whatIsAskedForOutlivesSeeks() throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 100))
        #expect(prefetcher.isAsked(for: 50..<53, of: store))
        for number in [7, 80, 2] { #expect(!prefetcher.moves(to: number, of: store)) }
        #expect(drain(prefetcher) == [50, 51, 52])
    }

    @Test func halfOfTheCacheMayBeAskedFor() throws {
        let (prefetcher, store) = (prefetcher(), try makeStore(blockCount: 100))
        #expect(prefetcher.isAsked(for: 10..<100, of: store))
        #expect(drain(prefetcher) == Array(10..<42))
    }

    @Test func aCoreAloneDoesNotPrefetch() throws {
        let store = try makeStore(blockCount: 100)
        let prefetcher = prefetcher(workerLimit: 0)
        for number in 0..<50 { #expect(!prefetcher.moves(to: number, of: store)) }
        #expect(!prefetcher.isAsked(for: 0..<9, of: store))
    }

    // MARK: In a provider

    /// 200 blocks of text, which has no stored runs.
    private static let document = text(200 * blockSize)

    private static func text(_ count: Int) -> Data {
        Data((0..<count / 8).map { "\($0 * 7919) 0 obj <</Kids [\($0)]>>\n" }.joined().utf8).prefix(
            count)
    }

    @Test func aHintLoadsTheBlocksOfItsRange() throws {
        guard coreCount > 1 else { return }
        let upstream = WatchedUpstream(try store(Self.document))
        let provider = try CompressedDataProvider(upstream)
        upstream.resetCounts()
        provider.prefetch(size: UInt64(10 * Self.blockSize), atOffset: UInt64(20 * Self.blockSize))
        let deadline = Date() + 10
        while upstream.counts.readCount < 10, Date() < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
        #expect(upstream.counts.readCount == 10)
        let start = 20 * Self.blockSize
        // Backwards: forwards, blocks beyond the range would be loaded ahead.
        for offset in stride(from: start, to: start + 10 * Self.blockSize, by: 512).reversed() {
            #expect(try provider.read(512, at: offset) == Self.document[offset..<offset + 512])
        }
        #expect(upstream.counts.readCount == 10, "no block is loaded twice")
    }

    @Test func hintsBeyondTheDocumentAreNothing() throws {
        let provider = try open(store(Self.document))
        provider.prefetch(size: .max, atOffset: .max)
        provider.prefetch(size: 0, atOffset: 0)
        provider.prefetch(size: .max, atOffset: UInt64(Self.document.count - 1))
        #expect(try provider.data() == Self.document)
    }

    @Test(arguments: [512, 4096, 5000]) func readsInOrderLoadEachBlockOnce(step: Int) throws {
        let upstream = WatchedUpstream(try store(Self.document))
        let provider = try CompressedDataProvider(upstream)
        upstream.resetCounts()
        for offset in stride(from: 0, to: Self.document.count, by: step) {
            #expect(
                try provider.read(step, at: offset) == Self.document[offset...].prefix(step))
        }
        #expect(upstream.counts.readCount == 200)
    }

    @Test func damageAheadIsForItsReaderToFind() throws {
        var stored = try store(Self.document)
        let damaged = try open(stored).blocks()[9]
        stored[Int(damaged.fileOffset) + damaged.memberSize - 5] ^= 1
        let provider = try open(stored)
        for number in 0..<200 {
            let offset = number * Self.blockSize
            if number == 9 {
                let error = #expect(throws: QuireError.self) { try provider.read(100, at: offset) }
                #expect(error?.blockNumber == 9)
            } else {
                #expect(try provider.read(100, at: offset) == Self.document[offset..<offset + 100])
            }
        }
    }

    // MARK: All cores

    @Test(arguments: [0, 1, 4095, 4096, 4097]) func largeReadsAreWhole(offset: Int) throws {
        let appends = (0..<20).map { TestBytes.mixed(1 + $0 * 1999) }
        let whole = appends.reduce(Self.document, +)
        let provider = try open(store(Self.document, appends: appends))
        for size in [0, 1, 300_000, whole.count - offset, whole.count] {
            let expected = whole[offset...].prefix(size)
            #expect(try provider.read(size, at: offset) == expected)
            #expect(try provider.read(size, at: offset) == expected, "again, some of it cached")
        }
    }

    @Test func aLargeReadNamesTheFirstDamagedBlock() throws {
        var stored = try store(Self.document)
        let blocks = try open(stored).blocks()
        for number in [190, 77, 78, 101] {
            stored[Int(blocks[number].fileOffset) + blocks[number].memberSize - 5] ^= 1
        }
        let provider = try open(stored)
        for _ in 0..<20 {
            let error = #expect(throws: QuireError.self) { try provider.data() }
            #expect(error?.blockNumber == 77 && error?.code == .damagedBlock)
        }
    }

    @Test func largeReadsDoNotEmptyTheCache() throws {
        let upstream = WatchedUpstream(try store(Self.document))
        let provider = try CompressedDataProvider(
            upstream, configuration: .init(cacheByteBudget: 4 * Self.blockSize))
        for number in [3, 150] { _ = try provider.read(10, at: number * Self.blockSize) }
        _ = try provider.data()
        upstream.resetCounts()
        for number in [3, 150] { _ = try provider.read(10, at: number * Self.blockSize) }
        #expect(upstream.counts.readCount == 0)
    }
}
