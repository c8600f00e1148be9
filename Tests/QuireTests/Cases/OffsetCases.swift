import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Offsets, boundaries, end of file. The numbers are those of the public bug reports that the cases come from.
@Suite("Cases A: offsets")
struct OffsetCases {
    static let blockSize = 4096

    /// Documents whose blocks are all deflated, all stored, and both.
    static let documents: [Data] = [
        Data(repeating: 0x61, count: 3 * blockSize + 100),
        TestBytes.noise(3 * blockSize + 100),
        TestBytes.noise(blockSize) + Data(repeating: 0x62, count: blockSize)
            + TestBytes.noise(blockSize + 100),
    ]

    @Test(arguments: documents)
    func case1SingleBytesAtEveryBlockEdge(document: Data) throws {
        let provider = try open(store(document))
        let (block, end) = (Self.blockSize, document.count)
        for offset in [block - 1, block, block + 1, 2 * block - 1, 2 * block, end - 1, end] {
            #expect(try provider.read(1, at: offset) == document[offset..<min(offset + 1, end)])
        }
    }

    @Test(arguments: documents)
    func case2ReadsToABlockEndLeaveNoCursorBehind(document: Data) throws {
        let provider = try open(store(document))
        let block = Self.blockSize
        #expect(try provider.read(block, at: 0) == document[..<block])
        #expect(try provider.read(100, at: block - 200) == document[block - 200..<block - 100])
        #expect(try provider.read(block - 10, at: 10) == document[10..<block])
        #expect(try provider.read(10, at: 0) == document[..<10])
    }

    @Test(arguments: documents)
    func case3ReadsPastTheEndAreEmptyAndNeverTrap(document: Data) throws {
        let provider = try open(store(document))
        let end = UInt64(document.count)
        for offset in [end, end + 1, UInt64(Int64.max), .max] {
            for size in [0, 1, UInt64(Int64.max), .max] as [UInt64] {
                #expect(try provider.readData(withSize: size, atOffset: offset).isEmpty)
            }
        }
        #expect(try provider.readData(withSize: .max, atOffset: end - 1) == document.suffix(1))
    }

    @Test(arguments: documents)
    func case4ReadsOfTwentyTimesTheDocumentGiveWhatExists(document: Data) throws {
        let provider = try open(store(document))
        let size = 20 * document.count
        #expect(try provider.read(size, at: 0) == document)
        #expect(try provider.read(size, at: document.count - 1) == document.suffix(1))
    }

    @Test func case6ReadsStartAtJoinsWithIndexMembersBetween() throws {
        let parts = (0..<4).map { TestBytes.mixed(5000 + $0, seed: UInt64($0)) }
        let stored = try store(parts[0], appends: Array(parts[1...]))
        let document = parts.reduce(Data(), +)
        let provider = try open(stored)
        // The same by hopping: the last segment's CRC is broken, so the index is made again.
        let footer = try #require(
            try Footer(Array(stored.suffix(146)), at: UInt64(stored.count - 146)))
        var broken = stored
        broken[Int(footer.segmentOffset) + 60] ^= 1
        let rebuilt = try open(broken)
        #expect(try rebuilt.info().isRebuilt)
        var join = 0
        for part in parts.dropLast() {
            join += part.count
            for reader in [provider, rebuilt] {
                #expect(try reader.read(5001, at: join) == document[join..<join + 5001])
                #expect(try reader.read(2, at: join - 1) == document[join - 1..<join + 1])
            }
        }
        #expect(try rebuilt.data() == document)
    }

    @Test func case7TheEndHasOneName() throws {
        for size in [0, 1, Self.blockSize, Self.blockSize + 1] {
            let document = TestBytes.mixed(size)
            let store = try StoreReader.open(DataContainerProvider(data: store(document)))
            #expect(store.segments.last?.end == UInt64(size))
            #expect(store.size == UInt64(size))
            #expect(code { _ = try store.find(UInt64(size)) } == .invalidArgument)
        }
    }

    @Test(arguments: [0, 1, blockSize - 1, blockSize, blockSize + 1])
    func case8TinyDocumentsAreCreatedReopenedAndAppendedTo(size: Int) throws {
        let document = TestBytes.mixed(size)
        let url = try TemporaryFolder.uniqueFile("tiny.gz")
        let created = try CompressedDataProvider.create(in: FileDataProvider(fileURL: url))
        try created.save([], document)
        let reopened = try CompressedDataProvider(url: url)
        #expect(try reopened.data() == document)
        try reopened.save(.append, Data("tail".utf8))
        let again = try CompressedDataProvider(url: url)
        #expect(try again.data() == document + Data("tail".utf8))
        #expect(try gunzip(Data(contentsOf: url)) == document + Data("tail".utf8))
    }

    @Test func case9FilesOfEmptyMembersEndWithinASecond() throws {
        let start = ContinuousClock.now
        let empty = try run("gzip", "-c").output
        #expect(code { _ = try open(empty) } == .notAStore)
        #expect(code { _ = try open(empty + empty + empty) } == .notAStore)
        #expect(try open(store(Data())).data().isEmpty)
        let index = IndexMember(uuid: UUID(), first: 0, entries: Array(repeating: 1, count: 12))
        let onlyIndex = Data(index.encoded)
        #expect(code { _ = try open(onlyIndex) } == .damagedFooter)
        #expect(code { _ = try open(Data()) } == .notAStore)
        #expect(ContinuousClock.now - start < .seconds(1))
    }
}
