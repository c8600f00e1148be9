import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite struct CompactionTests {
    @Test func fiveHundredSmallAppendsBecomeFullBlocks() throws {
        let url = try TemporaryFolder.uniqueFile("small.gz")
        let base = TestBytes.mixed(20_000, seed: 1)
        try store(base).write(to: url)
        let provider = try CompressedDataProvider(url: url)
        var document = base
        for number in 0..<500 {
            let tail = Data("save \(number) of many small ones, much like each other\n".utf8)
            try provider.save(.append, tail)
            document += tail
        }
        let before = try provider.info()
        #expect(before.compaction.pays)
        let result = try provider.compact()
        let after = try provider.info()
        #expect(try provider.data() == document)
        #expect(after.uuid == before.uuid && after.revision == before.revision + 1)
        #expect(after.blockCount == (document.count + 4095) / 4096)
        #expect(result.blockCountBefore == before.blockCount && result.blockCountBefore > 500)
        #expect(result.blockCount == after.blockCount)
        #expect(result.blockCount == before.compaction.blockCount)
        #expect(result.storedSizeBefore == before.storedSize)
        #expect(result.storedSize == after.storedSize)
        #expect(result.storedSize <= before.compaction.storedSize, "the estimate is a safe one")
        #expect(result.storedSize < before.storedSize / 3)
        #expect(!after.compaction.pays && after.compaction.sparedByteCount == 0)
        #expect(try provider.history().count == 1)
        let reopened = try CompressedDataProvider(url: url)
        #expect(try reopened.data() == document)
        #expect(try reopened.verify().isEmpty)
        try reopened.save(.append, Data("more".utf8))
        #expect(try gunzip(Data(contentsOf: url)) == document + Data("more".utf8))
    }

    @Test func fullBlocksAtTheFrontAreTakenOverAsTheyAre() throws {
        let base = TestBytes.mixed(5 * 4096, seed: 1)
        let stored = try store(base, appends: [Data("a".utf8), Data("b".utf8)], level: 9)
        let before = try open(stored).blocks()
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream, configuration: .init(level: 1))
        try provider.compact()
        let after = try provider.blocks()
        #expect(after.count == 6)
        #expect(after.prefix(5).map(\.memberSize) == before.prefix(5).map(\.memberSize))
        #expect(try provider.data() == base + Data("ab".utf8))
        #expect(try provider.verify().isEmpty)
    }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 3 * 4096, 50_000])
    func aStoreOfOneSaveIsLeftAlone(size: Int) throws {
        let stored = try store(TestBytes.mixed(size))
        let upstream = DataContainerProvider(data: stored)
        let result = try CompressedDataProvider(upstream).compact()
        #expect(result.sparedByteCount == 0 && result.blockCount == result.blockCountBefore)
        #expect(!result.pays)
        #expect(try upstream.data() == stored)
    }

    @Test func blocksThatWereDeflatedHarderAreLeftAlone() throws {
        // Each block of the append has words of its own, as its text is then cut elsewhere by full blocks.
        var random = TestBytes(seed: 1)
        var text = Data()
        for _ in 0..<8 {
            let words = (0..<1500).map { _ in String(random.next() % 100_000_000, radix: 36) }
            var part = Data()
            while part.count < 65_536 {
                part.append(contentsOf: (words[Int(random.next() % 1500)] + " ").utf8)
            }
            text.append(part.prefix(65_536))
        }
        let stored = try store(text.prefix(1000), appends: [text], level: 9, blockSize: 65_536)
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream, configuration: .init(level: 1))
        #expect(try provider.info().compaction.sparedByteCount > 0)
        let result = try provider.compact()
        #expect(result.sparedByteCount == 0 && result.blockCount == result.blockCountBefore)
        #expect(try upstream.data() == stored && provider.history().count == 2)
    }

    @Test func aDamagedBlockIsAnErrorAndChangesNothing() throws {
        let stored = try store(TestBytes.noise(20_000), appends: [Data("a".utf8), Data("b".utf8)])
        for number in [0, 3, 5] {
            var damaged = stored
            let block = try open(stored).blocks()[number]
            damaged[Int(block.fileOffset) + block.memberSize - 1 - 8] ^= 1
            let upstream = DataContainerProvider(data: damaged)
            let provider = try CompressedDataProvider(upstream)
            let error = #expect(throws: QuireError.self) { try provider.compact() }
            #expect(error?.code == .damagedBlock && error?.blockNumber == number)
            #expect(try upstream.data() == damaged)
        }
    }

    @Test func progressIsToldAndCanStopIt() throws {
        let (documents, stored) = try HistoryTests.saves(30)
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream)
        #expect(throws: CancellationError.self) {
            try provider.compact { if $0 > 8000 { throw CancellationError() } }
        }
        #expect(try upstream.data() == stored)
        var steps: [UInt64] = []
        try provider.compact { steps.append($0) }
        #expect(steps == steps.sorted() && steps.last == UInt64(documents[30].count))
    }

    /// Rollbacks, compactions and appends in turn, over upstreams that keep versions and one that does not.
    @Test(arguments: ["file", "memory", "one version"])
    func readersSeeOneVersionOrTheOther(_ kind: String) throws {
        let (documents, stored) = try HistoryTests.saves(12)
        let upstream: any DataProviding & Sendable
        switch kind {
        case "file":
            let url = try TemporaryFolder.uniqueFile("read.gz")
            try stored.write(to: url)
            upstream = FileDataProvider(fileURL: url)
        case "memory": upstream = DataContainerProvider(data: stored)
        default: upstream = ExampleDataProvider(data: stored)
        }
        let provider = try CompressedDataProvider(
            upstream, configuration: .init(cacheByteBudget: 8192))
        let allowed = Set(documents + [documents[5] + Data("tail".utf8)])
        let reading = Reading(count: 4) {
            let found = try provider.data()
            return allowed.contains(found) ? nil : "\(found.count) bytes of no version"
        }
        for _ in 0..<40 {
            try provider.rollBack(to: provider.history()[7].revision)
            try provider.save(.append, Data("tail".utf8))
            try provider.compact()
            try provider.save([], documents[0])
            for (before, after) in zip(documents, documents.dropFirst()) {
                try provider.save(.append, after.dropFirst(before.count))
            }
        }
        #expect(reading.end() == [])
    }
}

/// Threads that do the same over and over until they are told to end.
final class Reading: @unchecked Sendable {
    // SAFETY: all of it is only touched while the lock is held.
    private let lock = NSLock()
    private let group = DispatchGroup()
    private var isEnding = false
    private var complaints: [String] = []
    private var rounds = 0

    /// - Parameter body: what is wrong, nil if nothing is; an error is wrong, too.
    init(count: Int, _ body: @escaping @Sendable () throws -> String?) {
        for _ in 0..<count {
            group.enter()
            Thread { [self] in
                while !lock.withLock({ isEnding }) {
                    let complaint: String?
                    do { complaint = try body() } catch { complaint = "\(error)" }
                    lock.withLock {
                        rounds += 1
                        if let complaint { complaints.append(complaint) }
                    }
                }
                group.leave()
            }.start()
        }
    }

    /// - Returns: what was wrong, of the first few times.
    func end() -> [String] {
        // What was not read at all is not right.
        while lock.withLock({ rounds }) < 10 { Thread.sleep(forTimeInterval: 0.001) }
        lock.withLock { isEnding = true }
        group.wait()
        return lock.withLock { Array(complaints.prefix(3)) }
    }
}
