import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite struct RepairTests {
    static let documents: [Data] = {
        let base = TestBytes.mixed(1300, seed: 1)
        let tails = [TestBytes.mixed(900, seed: 2), Data(), TestBytes.mixed(300, seed: 3)]
        return tails.reduce(into: [base]) { $0.append($0[$0.count - 1] + $1) }
    }()

    /// A store of four saves, one of them of nothing, in blocks of 512 bytes.
    static func stored() throws -> Data {
        let tails = zip(documents, documents.dropFirst()).map { Data($1.dropFirst($0.count)) }
        return try store(documents[0], appends: tails, blockSize: 512)
    }

    static func repaired(_ stored: Data) throws -> (StoreRepair, Data) {
        let repair = try StoreRepair(of: DataContainerProvider(data: stored))
        let target = DataContainerProvider(data: Data())
        let sink = try target.createDataSink(options: [])
        try repair.write(to: sink)
        try target.replaceContents(with: sink)
        return (repair, try target.data())
    }

    /// What is wrong with a document outside of the holes.
    static func differences(_ found: Data, _ expected: Data, _ holes: [Salvage.Hole]) -> [Int] {
        guard found.count == expected.count else { return [-1] }
        return (0..<found.count).filter { index in
            found[index] != expected[index]
                && !holes.contains {
                    $0.offset <= UInt64(index) && UInt64(index) < $0.offset + $0.size
                }
        }
    }

    @Test func aSoundStoreIsLeftAsItIs() throws {
        let stored = try Self.stored()
        let (repair, result) = try Self.repaired(stored)
        #expect(repair.repairs.isEmpty && repair.losses.isEmpty && repair.salvage.holes.isEmpty)
        #expect(repair.wholeRevision == 4 && repair.present.revision == 4)
        #expect(result == stored)
    }

    /// Indexes and footers come back as they were, byte for byte, and a block costs itself alone.
    @Test(arguments: [0x01, 0x10, 0x80] as [UInt8])
    func aFlippedByteCostsNoMoreThanItsBlock(mask: UInt8) throws {
        let stored = try Self.stored()
        let blocks = try open(stored).blocks()
        for position in stored.indices {
            var damaged = stored
            damaged[position] ^= mask
            let (repair, result) = try Self.repaired(damaged)
            let block = blocks.first {
                $0.fileOffset <= UInt64(position)
                    && UInt64(position) < $0.fileOffset + UInt64($0.memberSize)
            }
            #expect(repair.losses.isEmpty, "byte \(position)")
            #expect(repair.present.revision == 4, "byte \(position)")
            let holes = repair.salvage.holes
            #expect(holes.allSatisfy { $0.offset == block?.offset }, "byte \(position)")
            if block == nil {
                // MTIME, XFL and OS of a member may be anything, and so they stay.
                let isHarmless = repair.repairs.isEmpty
                #expect(result == (isHarmless ? damaged : stored), "byte \(position)")
            } else {
                #expect(result == damaged, "byte \(position)")
            }
            let reopened = try open(result)
            #expect(try reopened.verify().map(\.blockNumber) == holes.map(\.cause.blockNumber))
            #expect(try reopened.history().count == 4)
            guard holes.isEmpty else { continue }
            for (index, document) in Self.documents.enumerated() {
                #expect(try reopened.open(revision: UInt64(index) + 1).data() == document)
            }
        }
    }

    @Test func aStoreCutAnywhereGoesBackToItsLastWholeRevisionOrSaysWhatIsLost() throws {
        let stored = try Self.stored()
        let ends = try open(stored).history().map { Int($0.storedSize) }.reversed()
        for length in 0..<stored.count {
            let cut = stored.prefix(length)
            let whole = ends.filter { $0 <= length }.count
            do {
                let (repair, result) = try Self.repaired(cut)
                let found = Int(repair.present.revision)
                // What lacks no more than some of its footer is restored.
                #expect(found == whole || found == whole + 1, "cut to \(length)")
                #expect(repair.salvage.holes.isEmpty && repair.losses.isEmpty)
                let reopened = try open(result)
                #expect(try reopened.data() == Self.documents[found - 1], "cut to \(length)")
                #expect(try reopened.verify().isEmpty, "cut to \(length)")
                #expect(ends.contains(length) == repair.repairs.isEmpty, "cut to \(length)")
            } catch let error as QuireError {
                #expect(whole == 0, "cut to \(length)")
                let named: [QuireError.Code] = [.truncated, .damagedFooter, .notAStore]
                #expect(named.contains(error.code), "cut to \(length): \(error)")
            }
        }
    }

    @Test func everyIndexAndFooterAtOnceComesBack() throws {
        let (documents, stored) = try HistoryTests.saves(25)
        let provider = try open(stored)
        var damaged = stored
        for revision in try provider.history().dropFirst() {
            damaged[Int(revision.storedSize) - 20] ^= 0xff
            damaged[Int(revision.storedSize) - 150] ^= 0xff
        }
        let (repair, result) = try Self.repaired(damaged)
        #expect(repair.repairs.count >= 25 && repair.losses.isEmpty)
        let reopened = try open(result)
        #expect(try reopened.verify().isEmpty)
        for (index, document) in documents.enumerated() {
            #expect(try reopened.open(revision: UInt64(index) + 1).data() == document)
        }
    }

    @Test func footersOfSeveralLastSavesComeBack() throws {
        let stored = try Self.stored()
        var damaged = stored
        for revision in try open(stored).history() { damaged[Int(revision.storedSize) - 12] ^= 1 }
        let (repair, result) = try Self.repaired(damaged)
        #expect(repair.repairs.map(\.code) == Array(repeating: .damagedFooter, count: 4))
        let reopened = try open(result)
        #expect(try reopened.data() == Self.documents[3])
        #expect(
            try reopened.history().map(\.documentSize)
                == Self.documents.reversed().map { UInt64($0.count) })
    }

    @Test func aTimeThatIsLostIsNotCertain() throws {
        let stored = try Self.stored()
        let second = Int(try open(stored).history()[2].storedSize) - 146
        var damaged = stored
        for index in 64..<72 { damaged[second + index] = 0xff }  // the commit time
        let (repair, result) = try Self.repaired(damaged)
        #expect(
            repair.repairs.map(\.message) == [
                "the footer of revision 2 was damaged; its time is not certain"
            ])
        let times = try open(result).history().compactMap(\.committedAt)
        #expect(times.count == 4 && times == times.sorted(by: >=))
    }

    @Test func anIndexOfAnotherStoreIsReplaced() throws {
        let document = TestBytes.noise(3000)
        let (one, other) = (
            try store(document, blockSize: 512),
            try store(TestBytes.noise(3000, seed: 9), blockSize: 512)
        )
        #expect(one.count == other.count)
        let start = Int(try open(one).current().store.footer.segmentOffset)
        let (repair, result) = try Self.repaired(one.prefix(start) + other.dropFirst(start))
        #expect(!repair.repairs.isEmpty && repair.losses.isEmpty && repair.salvage.holes.isEmpty)
        let reopened = try open(result)
        #expect(try reopened.data() == document)
        #expect(try reopened.verify().isEmpty && !reopened.info().isRebuilt)
    }

    @Test func whatFollowsTheStoreIsCutOff() throws {
        let stored = try Self.stored()
        let foreign = try run("gzip", "-c", input: Data("foreign".utf8)).output
        for (tail, code) in [
            (Data(count: 100), QuireError.Code.truncated), (TestBytes.noise(99), .truncated),
            (foreign, .foreignTail), (try store(Data("other".utf8)), .foreignTail),
        ] {
            let (repair, result) = try Self.repaired(stored + tail)
            #expect(result == stored)
            #expect(repair.repairs.map(\.code) == [code])
            #expect(repair.repairs.first?.fileOffset == UInt64(stored.count))
        }
    }

    @Test func aStoreOfALaterVersionIsNotTouched() throws {
        let stored = try Self.stored()
        var later = stored
        let payload = stored.count - 146 + 16
        later[payload + 4] = 2
        var sum: [UInt8] = []
        sum.append(littleEndian: checksum(Array(later[payload..<payload + 116])))
        later.replaceSubrange(payload + 116..<payload + 120, with: sum)
        #expect(code { _ = try Self.repaired(later) } == .unsupportedVersion)
    }

    @Test func aRevisionThatCannotBeRestoredIsNamedAndTheOneBeforeOpens() throws {
        let stored = try Self.stored()
        let provider = try open(stored)
        let last = try #require(try provider.blocks().last)
        var damaged = stored
        damaged[Int(last.fileOffset) + 13] ^= 1  // the header of its block, and its index
        damaged[stored.count - 146 - 20] ^= 1
        #expect(code { _ = try open(damaged) } == .damagedIndex)
        let (repair, result) = try Self.repaired(damaged)
        #expect(repair.losses.count == 1)
        #expect(
            repair.losses.first?.message.hasPrefix("revision 4, of 2500 bytes, is lost: ") == true)
        #expect(try open(result).data() == Self.documents[2])
    }

    @Test func otherFilesAreNoStores() throws {
        for data in [Data(), Data("%PDF-1.7".utf8), TestBytes.noise(5000), Data(count: 5000)] {
            #expect(code { _ = try Self.repaired(data) } == .notAStore)
            #expect(code { _ = try Salvage(of: DataContainerProvider(data: data)) } == .notAStore)
        }
    }
}
