import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Bytes of two stores in one file, and stores that have lost their beginning: what is read is all of one document.
@Suite("Cases D: splices")
struct SpliceCases {
    /// Two stores that were appended to, in the same sizes, from copies of one: UUID, tag and seals agree.
    private static func forks() throws -> (documents: [Data], one: Data, other: Data) {
        let base = TestBytes.noise(3000)
        let stored = try store(base, blockSize: 512)
        var documents = [base]
        let forks = try [2, 3].map { seed in
            let upstream = DataContainerProvider(data: stored)
            let provider = try CompressedDataProvider(upstream)
            // The second append is smaller, so that it does not take over the first one's entries.
            for (number, size) in [1500, 400].enumerated() {
                let tail = TestBytes.noise(size, seed: UInt64(seed * 10 + number))
                try provider.save(.append, tail)
                documents.append(try provider.data())
            }
            return try upstream.data()
        }
        #expect(forks[0].count == forks[1].count)
        return (documents, forks[0], forks[1])
    }

    @Test func aStoreThatWentTwoWaysIsNeverReadAsBoth() throws {
        let (documents, one, other) = try Self.forks()
        var outcomes: [Bool: Int] = [:]
        for place in 0...one.count {
            let spliced = one.prefix(place) + other.dropFirst(place)
            guard let provider = try? open(spliced) else { continue }
            let read = documents.filter { document in
                stride(from: 0, to: document.count, by: 100).allSatisfy {
                    let part = try? provider.read(100, at: $0)
                    return part == nil || part == document.dropFirst($0).prefix(100)
                }
            }
            #expect(read.contains { $0.count == Int(provider.size) }, "spliced at \(place)")
            outcomes[(try? provider.data()) != nil, default: 0] += 1
            if let (_, repaired) = try? RepairTests.repaired(spliced) {
                let found = try? open(repaired).data()
                #expect(found.map(documents.contains) != false, "repaired, spliced at \(place)")
            }
        }
        #expect(outcomes[true, default: 0] > 1000 && outcomes[false, default: 0] > 100)
    }

    /// Behind the seal a block has nothing that tells its store.
    @Test func aBlockWithTheSealOfOneStoreAndTheBytesOfAnotherIsNotRead() throws {
        let documents = (1...2).map { TestBytes.noise(2048, seed: $0) }
        let (one, other) = (
            try store(documents[0], blockSize: 512), try store(documents[1], blockSize: 512)
        )
        let last = try #require(try open(one).blocks().last)
        for place in Int(last.fileOffset)...Int(last.fileOffset) + last.memberSize {
            let provider = try open(one.prefix(place) + other.dropFirst(place))
            let parts = (0..<4).map { try? provider.read(512, at: $0 * 512) }
            let isOfOne = documents.contains { document in
                parts.enumerated().allSatisfy { index, part in
                    part == nil || part == document.dropFirst(index * 512).prefix(512)
                }
            }
            #expect(isOfOne, "spliced at \(place)")
        }
    }

    @Test func aStoreThatHasLostItsBeginningIsNotReadAsAWhole() throws {
        // The last save's index has its own blocks alone, and begins where the bytes that are left do.
        let stored = try store(TestBytes.noise(3000), appends: [TestBytes.noise(700)])
        let start = Int(try open(stored).history()[1].storedSize)
        let rest = Data(stored.dropFirst(start))
        let error = #expect(throws: QuireError.self) { try open(rest) }
        #expect(error?.code == .damagedFooter && error?.fileOffset == UInt64(rest.count - 146))
        #expect(code { _ = try RepairTests.repaired(rest) } == .damagedFooter)
    }

    @Test func anIndexOfAnotherStoreIsNamedAndNotTheBlocks() throws {
        let (one, other) = (
            try store(TestBytes.noise(3000), blockSize: 512),
            try store(TestBytes.noise(3000, seed: 2), blockSize: 512)
        )
        let segment = Int(try open(one).current().store.footer.segmentOffset)
        let provider = try open(one.prefix(segment) + other.dropFirst(segment))
        let damages = try provider.verify()
        #expect(damages.map(\.code) == [.damagedIndex] && damages[0].blockNumber == nil)
        #expect(damages[0].fileOffset == UInt64(segment))
    }

    @Test func aFooterMayGiveNoChecksumOfItsBlocks() throws {
        // As stores were before there was one.
        var crafted = CraftedStore()
        for word in ["one", "two"] { try crafted.add(Data(word.utf8)) }
        let upstream = DataContainerProvider(data: crafted.finished())
        let provider = try CompressedDataProvider(upstream)
        #expect(try provider.data() == Data("onetwo".utf8) && provider.verify().isEmpty)
        for word in ["three", "four"] { try provider.save(.append, Data(word.utf8)) }
        let reopened = try CompressedDataProvider(upstream)
        #expect(try reopened.data() == Data("onetwothreefour".utf8))
        let store = try reopened.current().store
        #expect(store.footer.blocksChecksum == store.blocksChecksum)
    }
}
