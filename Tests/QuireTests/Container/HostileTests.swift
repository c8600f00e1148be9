import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

/// What a hostile tester found, each kept from coming back.
@Suite("Hostile stores")
struct HostileTests {
    static let document = TestBytes.noise(8 * 4096)

    /// The members of a store of equal blocks, by number.
    private func swapped(_ one: Int, _ two: Int, in stored: Data) throws -> Data {
        let blocks = try open(stored).blocks()
        let range = { (number: Int) in
            let start = Int(blocks[number].fileOffset)
            return start..<start + blocks[number].memberSize
        }
        var result = stored
        result.replaceSubrange(range(one), with: stored[range(two)])
        result.replaceSubrange(range(two), with: stored[range(one)])
        return result
    }

    @Test func swappedBlocksAreDamageAndNotLaunderedByASave() throws {
        let stored = try swapped(2, 5, in: store(Self.document))
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream)
        for number in [2, 5] {
            let error = #expect(throws: QuireError.self) {
                try provider.read(100, at: number * 4096)
            }
            #expect(error?.code == .damagedBlock && error?.blockNumber == number)
        }
        #expect(try provider.read(4096, at: 3 * 4096) == Self.document[3 * 4096..<4 * 4096])
        try provider.save(.append, Data("more".utf8))
        #expect(try CompressedDataProvider(upstream).verify().map(\.blockNumber) == [2, 5])
        // With the index lost as well, the seals still tell.
        var lost = stored
        lost[lost.count - Footer.memberSize - 40] ^= 1
        #expect(code { _ = try open(lost) } == .damagedIndex)
    }

    @Test func aBlockOfAnotherStoreIsDamage() throws {
        let (one, two) = (try store(Self.document), try store(TestBytes.noise(8 * 4096, seed: 9)))
        let block = try open(one).blocks()[3]
        let range = Int(block.fileOffset)..<Int(block.fileOffset) + block.memberSize
        var mixed = one
        mixed.replaceSubrange(range, with: two[range])
        #expect(code { _ = try open(mixed).data() } == .damagedBlock)
    }

    @Test func anAppendToAStoreWhoseFooterIsDamagedIsSafe() throws {
        let url = try TemporaryFolder.uniqueFile("footer.gz")
        var stored = try store(Self.document)
        stored[stored.count - 20] ^= 1
        try stored.write(to: url)
        let provider = try CompressedDataProvider(url: url)
        do {
            let dropped = try provider.createDataSink(options: .append)
            try dropped.put(Data("lost".utf8))
            try dropped.close()
            // Until the commit the file is as it was; at the commit it is replaced as a whole.
            #expect(try Data(contentsOf: url) == stored)
        }
        try provider.save(.append, Data("more".utf8))
        #expect(try CompressedDataProvider(url: url).data() == Self.document + Data("more".utf8))
        #expect(try provider.verify().isEmpty)
    }

    /// A document that contains a whole store, with offsets that fit the place where it will lie.
    private func evil(_ place: Int, blockSize: Int = 65_536) throws -> Data {
        var inner = CraftedStore()
        try inner.add(Data("EVIL DOCUMENT".utf8))
        let block = inner.finished()
        // Its segment begins with a gap that skips everything in front of it, and its footer says where it is.
        let member = Array(block[..<inner.bytes.count])
        var entries: [UInt8] = []
        IndexEntry.gap(place).encode(into: &entries)
        inner.entries[0].encode(into: &entries)
        let segment = IndexMember.encode(segment: entries, uuid: inner.uuid)
        let footer = Footer(
            uuid: inner.uuid, tag: inner.tag, blockSize: 4096, revision: 7, time: 0,
            documentSize: 13, blockCount: 1, segmentOffset: UInt64(place + member.count),
            previousLive: nil, previous: nil, offset: UInt64(place + member.count + segment.count),
            entryCount: 2, segmentChecksum: checksum(entries))
        return Data(member + segment + footer.encoded)
    }

    @Test func aDocumentCannotForgeARevision() throws {
        // In a stored block byte p of the document lies at 37 + p of the store.
        let document = TestBytes.noise(1000) + (try evil(37 + 1000)) + TestBytes.noise(30_000)
        let stored = try store(document, blockSize: 65_536)
        #expect(try open(stored).data() == document)
        let cut = stored.dropLast(1000)
        #expect(code { _ = try open(Data(cut)) } == .truncated)
        var flipped = stored
        flipped[flipped.count - 20] ^= 1
        #expect(try open(flipped).data() == document)
    }

    @Test func aTornAppendCannotForgeARevision() throws {
        let base = try store(Data("the real document".utf8), blockSize: 65_536)
        let tail = TestBytes.noise(500) + (try evil(base.count + 37 + 500)) + TestBytes.noise(9000)
        let upstream = DataContainerProvider(data: base)
        try CompressedDataProvider(upstream).save(.append, tail)
        let torn = try upstream.data().dropLast(100)
        let provider = try open(Data(torn))
        #expect(try provider.data() == Data("the real document".utf8))
        #expect(try provider.info().revision == 1 && provider.info().tornByteCount > 0)
    }

    @Test func aLaterVersionInATornTailIsNotBelieved() throws {
        var later = Array("....QIRF".utf8) + [2, 0] + Array(repeating: 0, count: 200)
        later.insert(contentsOf: MemberHeader.magic, at: 0)
        let stored = try store(Data("base".utf8)) + Data([7, 7]) + Data(later)
        #expect(try open(stored).data() == Data("base".utf8))
    }

    @Test func theLastRevisionIsALimitNotATrap() throws {
        var crafted = CraftedStore()
        try crafted.add(Data("x".utf8))
        // A footer beyond the limit is none; the index vouches for the blocks.
        #expect(try open(crafted.finished { $0.revision = .max }).info().isRebuilt)
        let provider = try open(crafted.finished { $0.revision = UInt64(Int64.max) })
        for options in [[], .append] as [DataSinkOptions] {
            #expect(code { _ = try provider.createDataSink(options: options) } == .limitExceeded)
        }
        #expect(try provider.data() == Data("x".utf8))
    }

    /// What a block may take of memory does not depend on what is claimed.
    @Test func aMemberOfMoreThanTwiceTheGreatestBlockIsRefused() throws {
        let padding = Array(repeating: [0, 0, 0, 0xff, 0xff] as [UInt8], count: (1 << 21) / 5)
        var crafted = CraftedStore()
        try crafted.add(Data("whole".utf8))
        try crafted.add(
            Data("x".utf8), deflated: padding.flatMap { $0 } + [1, 1, 0, 0xfe, 0xff, 0x78])
        #expect(code { _ = try open(crafted.finished()) } == .damagedIndex)
        #expect(try gunzip(Data(crafted.bytes)) == Data("wholex".utf8))
    }

    @Test func aChainOfEmptySegmentsIsRefused() throws {
        var crafted = CraftedStore()
        try crafted.add(Data("x".utf8))
        var stored = crafted.finished()
        let first = try #require(
            try Footer(Array(stored.suffix(146)), at: UInt64(stored.count - 146)))
        var last = first
        for _ in 0..<2000 {
            var footer = last
            footer.revision += 1
            (footer.previousLive, footer.previous) = (last.offset, last.offset)
            footer.offset = last.end
            footer.segmentOffset = footer.offset
            (footer.entryCount, footer.segmentChecksum) = (0, 0)
            stored.append(contentsOf: footer.encoded)
            last = footer
        }
        let start = ContinuousClock.now
        #expect(try open(stored).data() == Data("x".utf8))  // rebuilt
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test func aLongTornTailIsPassedQuickly() throws {
        let stored = try store(Data("base".utf8))
        for tail in [Data(count: 64 << 20), Data(repeating: 0x51, count: 64 << 20)] {
            let url = try TemporaryFolder.uniqueFile("torn.gz")
            try (stored + tail).write(to: url)
            let start = ContinuousClock.now
            #expect(try CompressedDataProvider(url: url).data() == Data("base".utf8))
            #expect(ContinuousClock.now - start < .seconds(2))
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test func anUpstreamThatNeverKeepsItsSizeIsAnErrorNotAHang() throws {
        let upstream = RestlessUpstream(try store(Self.document))
        let provider = try CompressedDataProvider(upstream)
        upstream.changes.store(.max, ordering: .relaxed)
        #expect(throws: QuireError.self) { try provider.data() }
        upstream.changes.store(0, ordering: .relaxed)
        provider.clearCache()
        #expect(try provider.data() == Self.document)
    }

    @Test func anUpstreamThatChangesWhileItIsOpenedIsOpenedAgain() throws {
        let upstream = RestlessUpstream(try store(Self.document))
        let provider = try CompressedDataProvider(upstream)
        for count in 1...9 {
            upstream.changes.store(count, ordering: .relaxed)
            provider.clearCache()
            #expect(try provider.info().documentSize == UInt64(Self.document.count))
        }
    }
}

/// An upstream whose size is another each time it is asked, for so many times.
private final class RestlessUpstream: DataProviding, Sendable {
    private let upstream: DataContainerProvider
    let changes = Atomic(0)
    init(_ stored: Data) { upstream = DataContainerProvider(data: stored) }
    var uid: String { upstream.uid }
    var size: UInt64 {
        let left = changes.load(ordering: .relaxed)
        guard left > 0 else { return upstream.size }
        changes.subtract(1, ordering: .relaxed)
        return upstream.size + UInt64(left % 3)
    }
    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try upstream.readData(withSize: size, atOffset: offset)
    }
}
