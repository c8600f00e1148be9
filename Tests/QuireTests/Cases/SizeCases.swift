import Foundation
import QuireTesting
import Testing

@testable import Quire

private let hasRoom = ProcessInfo.processInfo.physicalMemory >= 12 << 30

/// Sizes around 2^32. They take some GiB of memory and disk for a moment.
@Suite("Cases E: sizes", .serialized, .enabled(if: hasRoom, "less than 12 GiB of memory"))
struct SizeCases {
    static let limit = 1 << 32

    /// Zeros that take no memory until they are touched.
    static func zeros(_ count: Int) -> Data {
        unsafe Data(
            bytesNoCopy: calloc(count, 1), count: count, deallocator: .free)
    }

    @Test func case38DocumentsAround4GiBHaveTheRightSizeAndLastByte() throws {
        let upstream = DataContainerProvider(data: Data())
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(level: 1, blockSize: 1 << 20))
        try provider.save([], Self.zeros(Self.limit - 1))
        var size = Self.limit - 1
        for last in ["", "a", "b"] {
            try provider.save(.append, Data(last.utf8))
            size += last.utf8.count
            let reopened = try CompressedDataProvider(upstream)
            #expect(reopened.size == UInt64(size))
            let expected = Data(last.isEmpty ? [0] : Array(last.utf8))
            #expect(try reopened.read(10, at: size - 1) == expected)
        }
        // case 39: one read of more than 2^32 bytes
        let all = try provider.data()
        #expect(all.count == Self.limit + 1)
        #expect(all[Self.limit - 2] == 0 && all.suffix(2) == Data("ab".utf8))
    }

    @Test func case39OneWriteOf4GiBIsWhole() throws {
        let upstream = DataContainerProvider(data: Data())
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(level: 1, blockSize: 1 << 20))
        let sink = try provider.createDataSink(options: [])
        #expect(sink.write(Self.zeros(Self.limit)) && sink.finish())
        try provider.replaceContents(with: sink)
        #expect(provider.size == UInt64(Self.limit))
        #expect(try provider.read(2, at: Self.limit - 1) == Data([0]))
        #expect(try provider.info().blockCount == 4096)
    }

    @Test func case39AMemberBeginsAtExactly4GiB() throws {
        let url = try TemporaryFolder.uniqueFile("large.gz")
        defer { try? FileManager.default.removeItem(at: url) }
        let configuration = CompressedDataProvider.Configuration(level: 0, blockSize: 1 << 20)
        let provider = try CompressedDataProvider.create(
            in: FileDataProvider(fileURL: url), configuration: configuration)
        try provider.save([], Self.zeros(try #require(Self.documentSize(storedIn: Self.limit))))
        #expect(try provider.info().storedSize == UInt64(Self.limit))
        let tail = TestBytes.mixed(100_000)
        try provider.save(.append, tail)
        let reopened = try CompressedDataProvider(url: url)
        let block = try #require(try reopened.blocks().last)
        #expect(block.fileOffset == UInt64(Self.limit))
        #expect(try reopened.readData(withSize: .max, atOffset: block.offset) == tail)
    }

    @Test(.enabled(if: CampaignTally.isLong, "takes a minute or two: make crash"))
    func twentyGiBOfZerosAreStoredAndReadInLittleMemory() throws {
        let url = try TemporaryFolder.uniqueFile("zeros.gz")
        defer { try? FileManager.default.removeItem(at: url) }
        let (lines, status) = try Helper(["zeros", url.path, "20"]).end()
        let growth = try #require(Int(lines.last ?? ""), "ended with \(status ?? -1)")
        #expect(status == 0 && growth <= 64 << 20)
        let stored = try CompressedDataProvider(url: url).info().storedSize
        print(
            "crash: 1 case, 20 GiB of zeros: stored in \(stored >> 10) KiB, right at every",
            "multiple of 4 GiB, in \(growth >> 20) MiB of memory")
    }

    /// How many bytes, all in stored blocks of 1 MiB, take exactly `size` bytes.
    private static func documentSize(storedIn size: Int) -> Int? {
        let block = 1 << 20
        let member = { (count: Int) in 40 + StoredBlock.deflateSize(blockSize: count) }
        for full in stride(from: size / block, to: 0, by: -1) {
            let entries = full + 1
            let index = 12 * entries + 62 * ((entries + 1329) / 1330) + Footer.memberSize
            let rest = size - full * member(block) - index
            guard rest > 0 else { continue }
            return (1...block).first { member($0) == rest }.map { full * block + $0 }
        }
        return nil
    }
}
