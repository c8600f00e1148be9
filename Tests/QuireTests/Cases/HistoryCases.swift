import Foundation
import QuireTesting
import Testing

@testable import Quire

/// The numbered cases as far as they concern going back, compacting and repairing.
@Suite("Cases C to H: history and repair")
struct HistoryCases {
    @Test func case28AReaderOpenedDuringSavesSeesOneGenerationExactly() throws {
        let url = try TemporaryFolder.uniqueFile("saved.gz")
        try store(Data()).write(to: url)
        let writer = try CompressedDataProvider(url: url)
        let pattern = Data((0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let reading = Reading(count: 2) {
            let provider = try CompressedDataProvider(url: url)
            let found = try provider.data()
            return found == pattern.prefix(found.count) && found.count % 4 == 0
                ? nil : "\(found.count) bytes, not of one generation"
        }
        for number in 0..<1000 {
            try writer.save(.append, pattern[(number * 4)..<(number * 4 + 4)])
            if number % 100 == 50 { try writer.compact() }
            if number % 100 == 99 {
                let tail = pattern[((number - 9) * 4)..<((number + 1) * 4)]
                try writer.rollBack(to: writer.history()[10].revision)
                try writer.save(.append, tail)
            }
        }
        #expect(reading.end() == [])
        #expect(try writer.data() == pattern)
    }

    @Test func case32MutatedStoresAreRepairedOrRefusedAndNeverTrap() throws {
        let (documents, stored) = try HistoryTests.saves(6, size: 3000)
        let document = documents[6]
        var random = TestBytes(seed: 32)
        for round in 0..<600 {
            var damaged = stored
            for _ in 0...random.next() % 4 {
                let start = Int(random.next() % UInt64(damaged.count))
                let end = min(damaged.count, start + Int(random.next() % 200))
                switch random.next() % 4 {
                case 0: damaged[start] ^= UInt8(truncatingIfNeeded: random.next() | 1)
                case 1: damaged.resetBytes(in: start..<end)
                case 2: damaged.removeSubrange(start..<end)
                default: damaged.insert(contentsOf: damaged[start..<end], at: start)
                }
                if damaged.isEmpty { damaged = stored }
            }
            if let (repair, result) = try? RepairTests.repaired(damaged) {
                let holes = repair.salvage.holes
                let provider = try open(result)
                #expect(try provider.verify().map(\.blockNumber) == holes.map(\.cause.blockNumber))
                for block in try provider.blocks()
                where !holes.contains(where: { $0.offset == block.offset }) {
                    let found = try provider.read(block.size, at: Int(block.offset))
                    let expected = document.dropFirst(Int(block.offset)).prefix(block.size)
                    #expect(found == expected, "round \(round), block \(block.number)")
                }
            }
            if let (salvage, result) = try? SalvageTests.salvaged(damaged) {
                #expect(try result.verify().isEmpty, "round \(round)")
                #expect(result.size == salvage.documentSize)
                // Where something guessed the size of a hole, what follows may have moved.
                let sure = salvage.holes.first { !$0.isSizeCertain }?.offset ?? result.size
                let found = try result.data().prefix(Int(sure))
                let expected = document.prefix(found.count)
                #expect(
                    RepairTests.differences(found, expected, salvage.holes) == [], "round \(round)")
            }
        }
    }

    @Test func case41TheLastRevisionIsRefusedBeforeAByteIsChanged() throws {
        var crafted = CraftedStore()
        try crafted.add(Data("document".utf8))
        let stored = crafted.finished { $0.revision = Footer.revisionLimit } + Data(count: 200)
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream)
        #expect(code { try provider.compact() } == .limitExceeded)
        #expect(code { try provider.save(.append, Data("x".utf8)) } == .limitExceeded)
        #expect(try upstream.data() == stored)
        try provider.rollBack(to: Footer.revisionLimit)
        #expect(try upstream.data() == stored.dropLast(200))
    }

    /// Limits that nobody has the disk for are lowered.
    @Test(arguments: ["document", "store", "entries", "gap"])
    func case41ASaveBeyondALimitIsRefusedBeforeAByteIsChanged(which: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.file(
            "a.gz", store(TestBytes.noise(3000), appends: [Data("a".utf8)], blockSize: 512))
        let before = try Data(contentsOf: url)
        var limit = FormatLimit.Writing()
        switch which {
        case "document": limit.documentSize = 3600
        case "store": limit.storedSize = UInt64(before.count) + 300
        case "entries": limit.entryCount = 1
        default: limit.entrySize = 100
        }
        let provider = try CompressedDataProvider(url: url, configuration: .init(blockSize: 512))
        // An append that takes over the segment before it has the gap between the two in its index.
        for options in which == "gap" ? [.append] : [[], .append] as [DataSinkOptions] {
            try FormatLimit.Writing.$present.withValue(limit) {
                let data = TestBytes.noise(options == .append ? 700 : 4000, seed: 2)
                let sink = try provider.createDataSink(options: options)
                #expect(!(sink.write(data) && sink.finish()))
                #expect(code { try provider.replaceContents(with: sink) } == .limitExceeded)
            }
            #expect(try Data(contentsOf: url) == before && folder.names == ["a.gz"])
        }
        try provider.save(.append, TestBytes.noise(700, seed: 2))
        #expect(try CompressedDataProvider(url: url).verify().isEmpty)
    }

    @Test func case54ASaveThatFailsAtAnyWriteLeavesOldOrNew() throws {
        let (documents, stored) = try HistoryTests.saves(40)
        let actions: [(CompressedDataProvider) throws -> Void] = [
            { try $0.rollBack(to: 4) }, { try $0.compact() },
        ]
        for action in actions {
            var write = 0
            while true {
                let upstream = FaultyUpstream(stored)
                let provider = try CompressedDataProvider(upstream)
                upstream.fail(at: .write(write))
                do { try action(provider) } catch {
                    #expect(try upstream.data() == stored)
                    #expect(try CompressedDataProvider(upstream).data() == documents[40])
                    write += 1
                    continue
                }
                #expect(write > 0)
                break
            }
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a file system of 1 MiB"))
    func case57AFullDiskIsReportedAndTheOldStoreStays() throws {
        let disk = try SmallDisk()
        let url = disk.url.appendingPathComponent("full.gz")
        let document = TestBytes.noise(600_000)
        try store(document, appends: [Data("a".utf8), Data("b".utf8)], blockSize: 65_536)
            .write(to: url)
        let before = try Data(contentsOf: url)
        let provider = try CompressedDataProvider(url: url)
        let actions: [() throws -> Void] = [
            { try provider.rollBack(to: 2) }, { try provider.compact() },
        ]
        for action in actions {
            let error = #expect(throws: QuireError.self) { try action() }
            #expect(error?.code == .fileSystem)
            #expect((error?.underlying as? POSIXError)?.code == .ENOSPC)
            #expect(try Data(contentsOf: url) == before)
        }
        try provider.save(.append, Data("later".utf8))
        #expect(try provider.data() == document + Data("ablater".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["full.gz"])
    }
}
