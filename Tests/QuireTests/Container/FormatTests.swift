import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("Format")
struct FormatTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The hex dump of FORMAT.md, section 9: lines of an offset, bytes, and words behind a semicolon.
    static func workedExample() throws -> Data {
        let page = try String(
            contentsOf: root.appendingPathComponent("Docs/FORMAT.md"), encoding: .utf8)
        let dump = page.components(separatedBy: "```hex\n").dropFirst().first?
            .components(separatedBy: "```").first
        var bytes = Data()
        for line in try #require(dump).split(separator: "\n") {
            let fields = line.split(separator: ";")[0].split(separator: " ")
            #expect(Int(fields[0], radix: 16) == bytes.count)
            for field in fields.dropFirst() { bytes.append(try #require(UInt8(field, radix: 16))) }
        }
        return bytes
    }

    @Test func theWorkedExampleOpensAndSaysWhatThePageSays() throws {
        let stored = try Self.workedExample()
        let provider = try open(stored)
        #expect(try provider.data() == Data("Hello, Quire!\n".utf8))
        #expect(try gunzip(stored) == Data("Hello, Quire!\n".utf8))
        let info = try provider.info()
        #expect(info.uuid.uuidString == "00010203-0405-4607-8809-0A0B0C0D0E0F")
        #expect(info.revision == 1 && info.blockSize == 4096 && info.blockCount == 1)
        #expect(info.committedAt == Date(timeIntervalSince1970: 1_795_000_000))
        #expect(try provider.verify().isEmpty)
    }

    @Test func whatIsEncodedIsDecoded() throws {
        let footer = Footer(
            uuid: UUID(), tag: 7, blockSize: 65_536, revision: 3, time: -5, documentSize: 100,
            blockCount: 2, segmentOffset: 400, previousLive: 200, previous: 54, offset: 500,
            entryCount: 3, segmentChecksum: 9)
        #expect(footer.encoded.count == Footer.memberSize)
        #expect(try Footer(footer.encoded, at: 500) == footer)
        #expect(try Footer(footer.encoded, at: 501) == nil)
        for isStored in [true, false] {
            let block = BlockMember(
                isStored: isStored, seal: .max, memberSize: 2000, blockSize: 1900)
            #expect(block.encoded.count == BlockMember.headerSize)
            #expect(try BlockMember(MemberHeader(block.encoded)) == block)
        }
        let entry = IndexEntry(size: 70_000, length: 65_536, isStored: true, checksum: 5)
        var encoded: [UInt8] = []
        entry.encode(into: &encoded)
        #expect(IndexEntry(encoded, at: 0) == entry)
    }

    @Test func laterVersionsAndFeaturesAreRefusedByName() throws {
        var crafted = CraftedStore()
        try crafted.add(Data("x".utf8))
        let stored = crafted.finished()
        let footer = stored.count - Footer.memberSize
        func edited(_ offset: Int, _ value: UInt8) -> Data {
            var bytes = [UInt8](stored)
            bytes[footer + 16 + offset] = value
            var sum: [UInt8] = []
            sum.append(littleEndian: checksum(Array(bytes[footer + 16..<footer + 132])))
            bytes.replaceSubrange(footer + 132..<footer + 136, with: sum)
            return Data(bytes)
        }
        #expect(code { _ = try open(edited(4, 2)) } == .unsupportedVersion)
        #expect(code { _ = try open(edited(11, 0x80)) } == .unsupportedFeature)
        #expect(try open(edited(12, 1)).data() == Data("x".utf8))  // an optional flag is ignored
    }

    @Test func theFirstMemberIsNeverEmptyUnlessTheDocumentIs() throws {
        let upstream = DataContainerProvider(data: Data())
        let provider = try CompressedDataProvider.create(in: upstream)
        try provider.save(.append, Data("first".utf8))
        #expect(try provider.blocks()[0].fileOffset == 0)
        #expect(try provider.info().revision == 2)
        #expect(try gunzip(upstream.data()) == Data("first".utf8))
    }

    @Test func everyMemberKeepsTheRules() throws {
        let appends = (0..<40).map { TestBytes.mixed($0 * 97 % 9000, seed: UInt64($0)) }
        let stored = [UInt8](try store(TestBytes.mixed(50_000), appends: appends, blockSize: 512))
        var position = 0
        while position < stored.count {
            let member = Array(stored[position...].prefix(20_000))
            #expect(member.starts(with: [0x1f, 0x8b, 8, 4]))
            let header = try MemberHeader(member)
            #expect(4...16_384 ~= header.size - 12)
            switch header.kind {
            case .block: position += try BlockMember(header).memberSize
            case .index: position += header.size + 10
            }
        }
        #expect(position == stored.count)
    }

    @Test(arguments: [0, 1, 3, 100, 2000])
    func segmentsStayFewAndEveryRevisionIsInTheHistory(appends: Int) throws {
        let upstream = DataContainerProvider(data: Data())
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(blockSize: 512))
        try provider.save([], TestBytes.mixed(20_000))
        for index in 0..<appends { try provider.save(.append, Data("\(index)".utf8)) }
        let reopened = try CompressedDataProvider(upstream)
        #expect(try reopened.data() == provider.data())
        let store = try reopened.current().store
        #expect(store.segments.count <= 14)
        for (older, newer) in zip(store.segments, store.segments.dropFirst()) {
            #expect(older.footer.entryCount > newer.footer.entryCount)
        }
        #expect(try reopened.history().count == appends + 1)
    }
}
