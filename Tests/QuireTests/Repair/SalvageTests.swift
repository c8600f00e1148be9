import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite struct SalvageTests {
    /// What a salvage writes, and what it says of it.
    static func salvaged(_ stored: Data) throws -> (Salvage, CompressedDataProvider) {
        let salvage = try Salvage(of: DataContainerProvider(data: stored))
        let target = DataContainerProvider(data: Data())
        let sink = try target.createDataSink(options: [])
        try salvage.write(to: sink)
        try target.replaceContents(with: sink)
        return (salvage, try CompressedDataProvider(target))
    }

    /// All blocks but those that are named are right, and zeros are in the place of these.
    static func expectHoles(
        _ numbers: Set<Int>, in stored: Data, of sound: Data, _ note: String = "",
        from location: SourceLocation = #_sourceLocation
    ) throws {
        let provider = try open(sound)
        let document = try provider.data()
        let (salvage, result) = try salvaged(stored)
        var expected = document
        for block in try provider.blocks() where numbers.contains(block.number) {
            let range = Int(block.offset)..<Int(block.offset) + block.size
            expected.replaceSubrange(range, with: Data(count: block.size))
        }
        let holes = salvage.holes.filter { $0.size > 0 }
        #expect(try result.data() == expected, "\(note)", sourceLocation: location)
        #expect(try result.verify().isEmpty, "\(note)", sourceLocation: location)
        #expect(
            Set(
                holes.flatMap { hole in
                    (hole.cause.blockNumber ?? -1)..<(hole.cause.blockNumber ?? -1)
                        + hole.blockCount
                }) == numbers, "\(note)", sourceLocation: location)
        #expect(holes.allSatisfy { $0.isSizeCertain }, "\(note)", sourceLocation: location)
    }

    @Test func everyDamagedBlockBecomesAHoleAndTheOthersStay() throws {
        let sound = try HistoryTests.saves(8).stored
        let blocks = try open(sound).blocks()
        for block in blocks {
            var damaged = sound
            damaged[Int(block.fileOffset) + block.memberSize - 6] ^= 1
            try Self.expectHoles([block.number], in: damaged, of: sound, "\(block.number)")
        }
        var all = sound
        for block in blocks { all[Int(block.fileOffset) + 20] ^= 1 }
        let (salvage, _) = try Self.salvaged(all)
        #expect(salvage.wholeBlockCount == 0 && salvage.holes.count == blocks.count)
    }

    @Test func blocksAreFoundWithoutAnIndexAndHolesKeepTheirSizes() throws {
        let sound = try HistoryTests.saves(8).stored
        let provider = try open(sound)
        let (blocks, last) = (try provider.blocks(), try provider.current().store.footer)
        for block in blocks {
            var damaged = sound
            damaged[Int(block.fileOffset) + 1] ^= 1
            damaged[Int(last.segmentOffset) + 40] ^= 1
            try Self.expectHoles([block.number], in: damaged, of: sound, "\(block.number)")
        }
        // A megabyte boundary of the search, and several blocks.
        let large = try store(TestBytes.noise(3 << 20), blockSize: 65_536)
        var damaged = large
        for index in (1 << 20) - 70_000..<(1 << 20) + 70_000 { damaged[index] = 0 }
        damaged[large.count - 200] ^= 1
        try Self.expectHoles([14, 15, 16, 17], in: damaged, of: large)
    }

    @Test func theEndOfACutDocumentIsNamedAndTheBlocksBeforeItAreThere() throws {
        let document = TestBytes.mixed(20_000)
        let stored = try store(document)
        let blocks = try open(stored).blocks()
        for length in stride(from: 1, to: Int(blocks[4].fileOffset) + blocks[4].memberSize, by: 37)
        {
            let wholeCount = blocks.prefix {
                Int($0.fileOffset) + $0.memberSize <= length
            }.count
            do {
                let (salvage, result) = try Self.salvaged(stored.prefix(length))
                #expect(try result.data() == document.prefix(wholeCount * 4096), "cut to \(length)")
                let hole = try #require(salvage.holes.last)
                #expect(salvage.holes.count == 1 && hole.size == 0 && !hole.isSizeCertain)
                #expect(hole.offset == UInt64(wholeCount * 4096))
            } catch let error as QuireError {
                #expect(wholeCount == 0, "cut to \(length): \(error)")
            }
        }
    }

    @Test func aHoleThatNothingMeasuresIsToldAsAGuess() throws {
        let document = TestBytes.mixed(20_000)
        let stored = try store(document)
        let provider = try open(stored)
        let blocks = try provider.blocks()
        var damaged = stored.prefix(Int(blocks[4].fileOffset))
        damaged[Int(blocks[1].fileOffset)] ^= 1
        let (salvage, result) = try Self.salvaged(damaged)
        #expect(salvage.holes.map(\.isSizeCertain) == [false, false])
        #expect(salvage.holes.map(\.offset) == [4096, 4 * 4096])
        let found = try result.data()
        #expect(found.prefix(4096) == document.prefix(4096))
        #expect(found.dropFirst(2 * 4096) == document[(2 * 4096)..<(4 * 4096)])
    }

    /// A seal may be that of the block before or behind, which is then there twice.
    @Test func aBlockWithADamagedSealIsNotTakenForAnother() throws {
        let sound = try HistoryTests.saves(8).stored
        let provider = try open(sound)
        let (blocks, last) = (try provider.blocks(), try provider.current().store.footer)
        for block in blocks {
            for bit in 0..<8 {
                var damaged = sound
                damaged[Int(block.fileOffset) + 20 + bit / 8] ^= 1 << (bit % 8)
                damaged[Int(last.segmentOffset) + 40] ^= 1
                try Self.expectHoles(
                    [block.number], in: damaged, of: sound, "\(block.number), bit \(bit)")
            }
        }
    }

    @Test func blocksKeepTheirPlacesWhereOthersWereCutOut() throws {
        let document = TestBytes.noise(9 * 512)
        let sound = try store(document, blockSize: 512)
        let blocks = try open(sound).blocks()
        for lost in [0..<1, 0..<4, 3..<4, 2..<7, 5..<9] {
            var cut = sound
            let last = blocks[lost.upperBound - 1]
            cut.removeSubrange(
                Int(blocks[lost.lowerBound].fileOffset)..<Int(last.fileOffset) + last.memberSize)
            // The footer that has moved still says how large the document is.
            let (salvage, result) = try Self.salvaged(cut)
            var expected = document
            expected.resetBytes(in: lost.lowerBound * 512..<lost.upperBound * 512)
            #expect(try result.data() == expected, "\(lost)")
            #expect(salvage.holes.first?.offset == UInt64(lost.lowerBound * 512), "\(lost)")
        }
        // And where others are there twice, or in another order.
        let member = blocks[0].memberSize
        var twice = sound
        twice.insert(contentsOf: sound[2 * member..<4 * member], at: 7 * member)
        #expect(try Self.salvaged(twice).1.data() == document)
    }

    @Test func aStoreInsideOfATornBlockIsNotTakenForTheDocument() throws {
        let inner = try store(TestBytes.mixed(3000, seed: 5), level: 0, blockSize: 512)
        let document = TestBytes.noise(500) + inner + TestBytes.noise(900, seed: 3)
        let cut = try store(document, level: 0, blockSize: 16_384).prefix(500 + inner.count + 300)
        #expect(code { _ = try Self.salvaged(cut) } == .truncated)
    }

    @Test func aStoreInsideOfADamagedBlockIsNotTakenForBlocks() throws {
        let inner = try store(TestBytes.mixed(9000, seed: 5), level: 0, blockSize: 2048)
        let document = TestBytes.noise(4096) + inner + TestBytes.noise(9000, seed: 3)
        let sound = try store(document, level: 0, blockSize: 16_384)
        var damaged = sound
        damaged[1] ^= 1
        damaged[sound.count - 170] ^= 1
        try Self.expectHoles([0], in: damaged, of: sound)
    }
}
