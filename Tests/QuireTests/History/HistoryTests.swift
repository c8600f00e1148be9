import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite struct HistoryTests {
    static let base = TestBytes.mixed(9000, seed: 1)

    /// The documents of a store with so many appends, oldest first, and the store.
    static func saves(_ count: Int, size: Int = 700) throws -> (documents: [Data], stored: Data) {
        let tails = (0..<count).map { TestBytes.mixed($0 * 97 % size, seed: UInt64($0) + 2) }
        var documents = [base]
        for tail in tails { documents.append(documents[documents.count - 1] + tail) }
        return (documents, try store(base, appends: tails))
    }

    @Test func everyRevisionOfSixtyAppendsOpensAsItWas() throws {
        let (documents, stored) = try Self.saves(60)
        let url = try TemporaryFolder.uniqueFile("saved.gz")
        try stored.write(to: url)
        let provider = try CompressedDataProvider(url: url)
        #expect(try provider.history().map(\.revision) == Array((1...61).reversed()))
        for (index, document) in documents.enumerated() {
            let view = try provider.open(revision: UInt64(index + 1))
            #expect(view.size == UInt64(document.count))
            #expect(try view.data() == document, "revision \(index + 1)")
            #expect(view.uid == provider.uid + (index == 60 ? "" : "-revision-\(index + 1)"))
        }
    }

    @Test func anOpenedRevisionStaysWhateverIsSaved() throws {
        let (documents, stored) = try Self.saves(5)
        let provider = try open(stored)
        let (third, present) = (try provider.open(revision: 3), try provider.open(revision: 6))
        try provider.save(.append, Data("tail".utf8))
        try provider.save([], Data("replaced".utf8))
        #expect(try third.data() == documents[2])
        #expect(try present.data() == documents[5])
        #expect(code { _ = try provider.open(revision: 3) } == .invalidArgument)
    }

    @Test(arguments: [0, 7, UInt64.max])
    func aRevisionThatIsNotThereIsNamed(revision: UInt64) throws {
        let provider = try open(Self.saves(5).stored)
        let error = #expect(throws: QuireError.self) { try provider.open(revision: revision) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == "there is no revision \(revision); the store has 1...6")
        #expect(code { try provider.rollBack(to: revision) } == .invalidArgument)
    }

    @Test func revisionsBehindADamagedFooterAreAnErrorAndTheOthersOpen() throws {
        let (documents, stored) = try Self.saves(5)
        let history = try open(stored).history()
        var damaged = stored
        damaged[Int(history[3].storedSize) - 30] ^= 1  // revision 3
        let provider = try open(damaged)
        for revision in 4...6 as ClosedRange<UInt64> {
            #expect(try provider.open(revision: revision).data() == documents[Int(revision) - 1])
        }
        for revision in 1...3 as ClosedRange<UInt64> {
            #expect(code { _ = try provider.open(revision: revision) } == .damagedFooter)
        }
        #expect(try provider.data() == documents[5])
        let (reachable, damage) = try provider.reachableHistory()
        #expect(reachable.map(\.revision) == [6, 5, 4])
        #expect(damage?.fileOffset == history[3].storedSize - 146)
    }

    @Test func appendsGoOnAfterARollbackAndEveryRevisionOpens() throws {
        let (documents, stored) = try Self.saves(20)
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream)
        var expected = documents
        for target in [15, 9, 1] as [UInt64] {
            let present = expected.count
            let dropped = try provider.rollBack(to: target)
            #expect(dropped.map(\.revision) == (target + 1..<UInt64(present) + 1).reversed())
            expected = Array(expected.prefix(Int(target)))
            #expect(try provider.data() == expected[Int(target) - 1])
            #expect(try upstream.data() == stored.prefix(Int(provider.history()[0].storedSize)))
            for number in 0..<3 {
                let tail = TestBytes.mixed(500, seed: target + UInt64(number) * 100)
                try provider.save(.append, tail)
                expected.append(expected[expected.count - 1] + tail)
            }
            let reopened = try CompressedDataProvider(upstream)
            #expect(try reopened.verify().isEmpty)
            #expect(reopened.uid == provider.uid)
            for (index, document) in expected.enumerated() {
                #expect(try reopened.open(revision: UInt64(index + 1)).data() == document)
            }
            #expect(try gunzip(upstream.data()) == expected.last)
        }
    }

    @Test func rollingBackToThePresentRevisionRemovesATornTailOrDoesNothing() throws {
        let (documents, stored) = try Self.saves(3)
        let upstream = DataContainerProvider(data: stored + Data(count: 100))
        let provider = try CompressedDataProvider(upstream)
        #expect(try provider.rollBack(to: 4).isEmpty)
        #expect(try upstream.data() == stored)
        #expect(try provider.data() == documents[3])
        #expect(try provider.rollBack(to: 4).isEmpty)
        #expect(try provider.verify().isEmpty)
    }

    @Test func aFailedCommitLeavesTheStoreUntouched() throws {
        let (documents, stored) = try Self.saves(6)
        let upstream = FaultyUpstream(stored)
        let provider = try CompressedDataProvider(upstream)
        for fault in [.commit, .write(0)] as [FaultyUpstream.Fault] {
            upstream.fail(at: fault)
            #expect(throws: (any Error).self) { try provider.rollBack(to: 2) }
            #expect(throws: (any Error).self) { try provider.compact() }
            #expect(try upstream.data() == stored)
            #expect(try provider.data() == documents[6])
        }
        upstream.fail(at: .none)
        try provider.rollBack(to: 2)
        #expect(try provider.data() == documents[1])
    }

    /// An upstream that keeps one version only, too.
    @Test(arguments: [false, true])
    func aSaveByAnotherIsAConflictAndNothingOfItIsLost(isGated: Bool) throws {
        let (documents, stored) = try Self.saves(4)
        let upstream: any DataProviding & Sendable =
            isGated ? ExampleDataProvider(data: stored) : DataContainerProvider(data: stored)
        let (one, other) = (
            try CompressedDataProvider(upstream), try CompressedDataProvider(upstream)
        )
        try other.save(.append, Data("other".utf8))
        #expect(code { try one.rollBack(to: 2) } == .conflict)
        #expect(code { try one.compact() } == .conflict)
        #expect(try CompressedDataProvider(upstream).data() == documents[4] + Data("other".utf8))
    }

    @Test func aFileThatWasSavedByAnotherIsAConflict() throws {
        let (documents, stored) = try Self.saves(4)
        let url = try TemporaryFolder.uniqueFile("saved.gz")
        try stored.write(to: url)
        let (one, other) = (
            try CompressedDataProvider(url: url), try CompressedDataProvider(url: url)
        )
        try other.rollBack(to: 3)
        #expect(code { try one.rollBack(to: 2) } == .conflict)
        #expect(code { try one.save(.append, Data("one".utf8)) } == .conflict)
        #expect(try one.data() == documents[4], "it keeps the file that it has opened")
        one.clearCache()
        #expect(try one.data() == documents[2])
    }

    @Test func damagedEarlierIndexesAreRebuiltWhenTheyAreRolledBackTo() throws {
        let (documents, stored) = try Self.saves(1)
        let first = try open(stored).history()[1]
        var damaged = stored
        damaged[Int(first.storedSize) - 146 - 30] ^= 1
        let upstream = DataContainerProvider(data: damaged)
        let provider = try CompressedDataProvider(upstream)
        #expect(try provider.open(revision: 1).data() == documents[0])
        try provider.rollBack(to: 1)
        #expect(try provider.data() == documents[0])
        #expect(try provider.info().isRebuilt)
    }
}
