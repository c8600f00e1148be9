import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Corruption, truncation, bombs.
@Suite("Cases D: damage")
struct DamageCases {
    static let base = TestBytes.mixed(9000, seed: 1)
    static let tail = TestBytes.mixed(5000, seed: 2)

    @Test func case29AStoreCutInItsLastMembersIsThePreviousRevisionOrAnError() throws {
        let stored = try store(Self.base, appends: [Self.tail])
        let first = try store(Self.base).count
        for length in first..<stored.count {
            let provider = try open(stored.prefix(length))
            #expect(try provider.data() == Self.base, "cut to \(length)")
            #expect(try provider.info().tornByteCount == UInt64(length - first))
        }
    }

    @Test func case29AStoreOfOneRevisionCutAnywhereIsAnError() throws {
        let stored = try store(Self.base)
        for length in 0..<stored.count {
            let found = code { _ = try open(stored.prefix(length)).data() }
            let allowed: [QuireError.Code] =
                length < 2 ? [.notAStore] : [.truncated, .damagedFooter]
            #expect(
                found.map(allowed.contains) == true,
                "cut to \(length): \(String(describing: found))")
        }
    }

    @Test func case30ATornBlockWithItsIndexLostIsAnError() throws {
        let stored = try store(Self.base)
        let block = try open(stored).blocks()[1]
        for length in Int(block.fileOffset) + 1..<Int(block.fileOffset) + block.memberSize {
            #expect(code { _ = try open(stored.prefix(length)) } == .truncated)
        }
    }

    @Test(arguments: [-1, 1])
    func case31ABlockOneByteShortOrLongNamesItself(change: Int) throws {
        let block = TestBytes.mixed(4000)
        let buffer = AlignedBuffer(capacity: 5000)
        try buffer.fill(upTo: 5000) {
            _ = try Codec.standard.deflate(
                block.bytes, runs: [Run(byteCount: 4000, isStored: false)], into: &$0, level: 6)
        }
        var deflated = buffer.withBytes { [UInt8]($0) }
        if change < 0 { deflated.removeLast() } else { deflated.append(0) }
        var crafted = CraftedStore()
        try crafted.add(Data("whole".utf8))
        let fileOffset = UInt64(crafted.bytes.count)
        try crafted.add(block, deflated: deflated)
        let provider = try open(crafted.finished())
        #expect(try provider.read(5, at: 0) == Data("whole".utf8))
        let error = #expect(throws: QuireError.self) { try provider.data() }
        #expect(error?.code == .damagedBlock)
        #expect(error?.blockNumber == 1 && error?.fileOffset == fileOffset)
    }

    @Test(arguments: [true, false])
    func case33EveryFlippedByteOfABlockIsNoticed(isNoise: Bool) throws {
        let document =
            isNoise
            ? TestBytes.noise(3 * 4096)
            : Data((0..<3 * 512).flatMap { String(format: "%07d\n", $0 * 7919 % 10_000_000).utf8 })
        let stored = try store(document)
        let block = try open(stored).blocks()[1]
        #expect(block.isStored == isNoise)
        // MTIME, XFL and OS, and the bits behind the end of the deflate stream in its last byte, say nothing.
        let harmless = isNoise ? Set(4...9) : Set(4...9).union([block.memberSize - 9])
        var unnoticed: [Int] = []
        var spoilt: [Int] = []
        for index in 0..<block.memberSize {
            var damaged = stored
            damaged[Int(block.fileOffset) + index] ^= 0x10
            let provider = try open(damaged)
            let before = try provider.read(4096, at: 0)
            let after = try provider.read(4096, at: 2 * 4096)
            if before != document[..<4096] || after != document[(2 * 4096)...] {
                spoilt.append(index)
            }
            for offset in [4096, 4096 + 2000, 2 * 4096 - 1] {
                do {
                    let isRight = try provider.read(1, at: offset) == document[offset...offset]
                    if !isRight || !harmless.contains(index) { unnoticed.append(index) }
                } catch let error as QuireError {
                    if error.code != .damagedBlock || error.blockNumber != 1 {
                        unnoticed.append(index)
                    }
                }
            }
        }
        #expect(unnoticed == [])
        #expect(spoilt == [])
    }

    @Test func case35ABlockThatClaims4GiBIsRejectedBeforeAllocation() throws {
        var header = CraftedStore()
        try header.add(Data("x".utf8), claimedSize: Int(UInt32.max))
        #expect(code { _ = try open(header.finished()).data() } == .damagedBlock)
        var entry = CraftedStore()
        try entry.add(Data("x".utf8), entryLength: Int(Int32.max))
        #expect(try open(entry.finished()).data() == Data("x".utf8))  // rebuilt
        var both = CraftedStore(blockSize: 1 << 20)
        try both.add(Data("x".utf8), claimedSize: 1 << 20, entryLength: 1 << 20)
        // 1032 : 1 is the most that deflate can do.
        #expect(code { _ = try open(both.finished { $0.documentSize = 1 << 20 }) } == .damagedIndex)
    }

    @Test(arguments: [0, 1, 39, 1 << 20, Int(UInt32.max)])
    func case37ImpossibleMemberSizesAreRejected(size: Int) throws {
        var inEntry = CraftedStore()
        try inEntry.add(Data("one".utf8), entrySize: size)
        try inEntry.add(Data("two".utf8))
        #expect(try open(inEntry.finished()).data() == Data("onetwo".utf8))  // rebuilt
        var inHeader = CraftedStore()
        try inHeader.add(Data("one".utf8), claimedMember: size)
        try inHeader.add(Data("two".utf8))
        #expect(code { _ = try open(inHeader.finished()).data() } == .damagedBlock)
        var inBoth = CraftedStore()
        try inBoth.add(Data("one".utf8), claimedMember: size, entrySize: size)
        try inBoth.add(Data("two".utf8))
        #expect(code { _ = try open(inBoth.finished()).data() } == .damagedIndex)
    }

    /// Not one of the numbered cases: whatever byte of a whole store is flipped, a read is right or throws.
    @Test func everyFlippedByteOfAStoreIsNoticedOrHarmless() throws {
        let stored = try store(Self.base, appends: [Self.tail], blockSize: 4096)
        let document = Self.base + Self.tail
        for index in stored.indices {
            for bit in [0, 7] as [UInt8] {
                var damaged = stored
                damaged[index] ^= 1 << bit
                guard let provider = try? open(damaged) else { continue }
                let torn = try provider.info().tornByteCount > 0
                for start in stride(from: 0, to: document.count, by: 1000) {
                    guard let found = try? provider.read(1000, at: start) else { continue }
                    let whole = torn ? Self.base : document
                    let expected = whole.dropFirst(start).prefix(1000)
                    #expect(found == expected, "byte \(index), bit \(bit), read at \(start)")
                }
            }
        }
    }

    /// A store with two live segments, of which the damaged one is not the last.
    @Test func aDamagedIndexOrFooterBetweenCommitsCostsNoBlock() throws {
        let stored = try store(Self.base, appends: [TestBytes.noise(300)])
        let provider = try open(stored)
        let first = try provider.history()[1]
        let second = try #require(try provider.blocks().last)
        let segment = try #require(try provider.current().store.segments.first?.footer)
        #expect(first.storedSize == second.fileOffset && segment.offset + 146 == first.storedSize)
        let document = try provider.data()
        for index in Int(segment.segmentOffset)..<Int(first.storedSize) {
            for mask in [1, 0x80] as [UInt8] {
                var damaged = stored
                damaged[index] ^= mask
                #expect(try open(damaged).data() == document, "byte \(index)")
                let (repair, result) = try RepairTests.repaired(damaged)
                #expect(repair.losses.isEmpty && repair.present.revision == 2, "byte \(index)")
                #expect(try open(result).data() == document, "byte \(index)")
            }
        }
    }

    /// A crash and a flipped byte: without the footer at its end the way to it is by the headers.
    @Test func aDamagedHeaderInFrontOfATornTailCostsItsBlockAlone() throws {
        let stored = try store(Self.base, appends: [Self.tail])
        let blocks = try open(stored).blocks()
        let document = Self.base + Self.tail
        for tail in [Data(count: 700), TestBytes.noise(99)] {
            for block in blocks.dropFirst() {
                for index in 0..<BlockMember.headerSize {
                    var damaged = stored + tail
                    damaged[Int(block.fileOffset) + index] ^= 0x11
                    let provider = try open(damaged)
                    #expect(provider.size == UInt64(document.count), "block \(block.number)")
                    for other in blocks where other.number != block.number {
                        let range = Int(other.offset)..<Int(other.offset) + other.size
                        #expect(
                            try provider.read(range.count, at: range.lowerBound)
                                == document[range], "block \(block.number), byte \(index)")
                    }
                }
            }
        }
    }

    /// Whose CRC would be right but for the version is no footer of a later one.
    @Test func aFlippedVersionIsDamage() throws {
        let stored = try store(Self.base, appends: [Self.tail])
        for (offset, bit) in [4, 5].flatMap({ byte in (1..<8).map { (byte, $0) } }) {
            var damaged = stored
            damaged[stored.count - 146 + 16 + offset] ^= 1 << bit
            #expect(try open(damaged).data() == Self.base)
            let (repair, result) = try RepairTests.repaired(damaged)
            #expect(repair.repairs.map(\.code) == [.damagedFooter] && result == stored)
        }
    }

    @Test func anUpstreamThatFailsAtAnyReadGivesItsErrorAndIsReadAgain() throws {
        let document = TestBytes.mixed(30_000)
        let stored = try store(document)
        for failing in 0..<12 {
            let upstream = WatchedUpstream(stored, failingRead: failing)
            do {
                let provider = try CompressedDataProvider(upstream)
                do {
                    #expect(try provider.data() == document)
                } catch let error as POSIXError {
                    #expect(error.code == .EIO && provider.error is POSIXError)
                }
                #expect(try provider.data() == document)
                #expect(provider.error == nil)
            } catch let error as POSIXError { #expect(error.code == .EIO) }
        }
    }
}
