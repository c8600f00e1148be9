import Foundation
import QuireTesting
import Testing

@testable import Quire

/// The index is checked, never trusted.
@Suite("Cases C: index")
struct IndexCases {
    @Test(arguments: [true, false])
    func case21AForeignIndexIsRejectedAndRebuilt(isNoise: Bool) throws {
        // Noise is stored, so that the two stores have blocks of exactly the same sizes.
        let one = isNoise ? TestBytes.noise(30_000, seed: 1) : TestBytes.mixed(30_000, seed: 1)
        let two = isNoise ? TestBytes.noise(30_000, seed: 2) : TestBytes.mixed(30_000, seed: 2)
        let (first, second) = (try store(one), try store(two))
        let indexSize = 146 + 62 + 12 * 8
        let spliced = second.dropLast(indexSize) + first.suffix(indexSize)
        guard first.count == second.count else {
            // Other sizes: the footer is not in its place.
            #expect(code { _ = try open(spliced).data() } != nil)
            return
        }
        let provider = try open(Data(spliced))
        #expect(try provider.data() == two)
        #expect(try provider.info().isRebuilt)
    }

    @Test func case21AnIndexOfAnotherRevisionIsRebuilt() throws {
        // The same store, rewritten with other contents of the same size: even UUID and sizes agree.
        let (one, two) = (TestBytes.noise(30_000, seed: 1), TestBytes.noise(30_000, seed: 2))
        let upstream = DataContainerProvider(data: try store(one))
        let provider = try CompressedDataProvider(upstream, configuration: .init(blockSize: 4096))
        let first = try upstream.data()
        try provider.save([], two)
        let second = try upstream.data()
        #expect(first.count == second.count)
        let indexSize = 146 + 62 + 12 * 8
        let spliced = try open(Data(second.dropLast(indexSize) + first.suffix(indexSize)))
        #expect(try spliced.data() == two)
        #expect(try spliced.info().isRebuilt)
    }

    @Test func case22CopiesMovesAndTouchesRebuildNothing() throws {
        let document = TestBytes.mixed(50_000)
        let folder = try TemporaryFolder()
        let url = try folder.file("a.gz", store(document))
        let (copy, moved) = (folder.file("copy.gz"), folder.file("moved.gz"))
        try FileManager.default.copyItem(at: url, to: copy)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: copy.path)
        try FileManager.default.moveItem(at: url, to: moved)
        for place in [copy, moved] {
            let provider = try CompressedDataProvider(url: place)
            #expect(try !provider.info().isRebuilt)
            #expect(try provider.data() == document)
        }
    }

    @Test func case23TheIndexOfAnEmptyDocumentHasNoEntries() throws {
        let stored = try store(Data())
        #expect(stored.count == Footer.memberSize)
        let footer = try #require(try Footer(Array(stored), at: 0))
        #expect(footer.entryCount == 0 && footer.blockCount == 0)
        #expect(try open(stored).size == 0)
    }

    @Test func case24HugeCountsAreRejectedBeforeAllocation() throws {
        var crafted = CraftedStore()
        try crafted.add(Data("small".utf8))
        let edits: [(inout Footer) -> Void] = [
            { $0.blockCount = 1 << 63 },
            { $0.documentSize = UInt64(Int64.max) },
            { footer in (footer.entryCount, footer.segmentOffset) = (Int(UInt32.max), 0) },
        ]
        // An index that only claims too much is made again from the blocks.
        let rebuilt = try open(crafted.finished { $0.entryCount = Int(UInt32.max) })
        #expect(try rebuilt.info().isRebuilt && rebuilt.data() == Data("small".utf8))
        var growth = Int.max
        for _ in 0..<5 {  // other tests run at the same time: the least growth is this one's
            let before = try residentByteCount()
            for edit in edits {
                let start = ContinuousClock.now
                #expect(code { _ = try open(crafted.finished(edit)) } == .damagedIndex)
                #expect(ContinuousClock.now - start < .seconds(1))
            }
            growth = min(growth, try residentByteCount() - before)
        }
        #expect(growth < 1 << 20)
    }

    @Test func case25BlockAtCountThrows() throws {
        let document = TestBytes.mixed(50_000)
        let store = try StoreReader.open(
            DataContainerProvider(data: store(document, appends: [document])))
        #expect(code { _ = try store.place(ofBlock: store.blockCount) } == .invalidArgument)
        #expect(code { _ = try store.place(ofBlock: -1) } == .invalidArgument)
        var expected: UInt64 = 0
        for number in 0..<store.blockCount {
            let place = try store.place(ofBlock: number)
            let block = place.segment[place.index]
            #expect(block.offset == expected && block.number == number)
            for offset in [block.offset, block.end - 1] {
                let (segment, index) = try store.find(offset)
                #expect(segment[index].number == number)
            }
            expected = block.end
        }
        #expect(expected == store.size)
    }

    @Test func case26MalformedTablesEndInErrors() throws {
        let start = ContinuousClock.now
        var zeroLength = CraftedStore()
        try zeroLength.add(Data("one".utf8))
        try zeroLength.add(Data("two".utf8), entryLength: 0)
        var overlapping = CraftedStore()
        try overlapping.add(Data("one".utf8), entrySize: 100)
        try overlapping.add(Data("two".utf8), entrySize: 10)
        for crafted in [zeroLength, overlapping] {
            // The hop finds the blocks as they are.
            let provider = try open(crafted.finished())
            #expect(try provider.info().isRebuilt)
            #expect(try provider.data() == Data("onetwo".utf8))
        }
        var crafted = CraftedStore()
        try crafted.add(Data("one".utf8))
        let loops: [(inout Footer) -> Void] = [
            { $0.previousLive = $0.offset }, { $0.previousLive = $0.offset + 1000 },
            { $0.previous = $0.offset }, { $0.previousLive = .max - 1 },
        ]
        for edit in loops {
            // Such a footer is none; the index vouches for the blocks.
            let provider = try open(crafted.finished(edit))
            #expect(try provider.info().isRebuilt)
            #expect(try provider.data() == Data("one".utf8))
        }
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    /// A file that is written over while it is read, by a store of the same layout.
    @Test func case21WhatWasReadOfOneStoreIsNotContinuedInAnother() throws {
        let (one, two) = (TestBytes.noise(30_000, seed: 1), TestBytes.noise(30_000, seed: 2))
        let url = try TemporaryFolder.uniqueFile("store.gz")
        try store(one).write(to: url)
        let begun = try CompressedDataProvider(url: url)
        let unread = try CompressedDataProvider(url: url)
        #expect(try unread.read(1, at: 30_000).isEmpty)
        #expect(try begun.read(5000, at: 0) == one.prefix(5000))
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: store(two))
        try file.close()
        let error = #expect(throws: QuireError.self) { try begun.read(5000, at: 20_000) }
        #expect(error?.code == .damagedBlock && error?.blockNumber == 4)
        #expect(try unread.data() == two)
    }

    @Test func case21AnAppendToAStoreWithTheIndexOfAnotherContinuesItsBlocks() throws {
        let (one, two) = (TestBytes.noise(30_000, seed: 1), TestBytes.noise(30_000, seed: 2))
        let indexSize = 146 + 62 + 12 * 8
        let upstream = DataContainerProvider(
            data: Data(try store(two).dropLast(indexSize) + store(one).suffix(indexSize)))
        try CompressedDataProvider(upstream).save(.append, Data("tail".utf8))
        let reopened = try CompressedDataProvider(upstream)
        #expect(try reopened.data() == two + Data("tail".utf8))
        #expect(try reopened.verify().isEmpty && !reopened.info().isRebuilt)
        #expect(try gunzip(upstream.data()) == two + Data("tail".utf8))
    }

    /// Its CRC is right: only a hostile writer makes one.
    @Test func aLastFooterWithSmallerBlocksThanBeforeIsAnError() throws {
        var stored = try store(TestBytes.noise(20_000), appends: [TestBytes.noise(100)])
        let payload = stored.count - 146 + 16
        var field: [UInt8] = []
        field.append(littleEndian: UInt32(512))
        stored.replaceSubrange(payload + 36..<payload + 40, with: field)
        var sum: [UInt8] = []
        sum.append(littleEndian: checksum(Array(stored[payload..<payload + 116])))
        stored.replaceSubrange(payload + 116..<payload + 120, with: sum)
        #expect(code { _ = try open(stored).info() } == .damagedIndex)
    }
}

/// Memory of this process that is resident.
func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
        separator: " ")
    return (Int(fields[1]) ?? 0) * 4096
}
