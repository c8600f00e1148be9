import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Multi-member gzip, other people's and ours.
@Suite("Cases B: gzip")
struct ForeignGzipCases {
    @Test func case12ForeignGzipIsNotOurs() throws {
        let one = try run("gzip", "-c", input: Data("one".utf8)).output
        let two = try run("gzip", "-c", input: TestBytes.mixed(100_000)).output
        #expect(code { _ = try open(one + two) } == .notAStore)
        #expect(code { _ = try open(two) } == .notAStore)
    }

    @Test func case12TwoJoinedStoresAreNotTakenForTheFirst() throws {
        let (one, two) = (try store(Data("one".utf8)), try store(TestBytes.mixed(50_000)))
        #expect(code { _ = try open(one + two) } == .foreignTail)
        let foreign = try run("gzip", "-nc", input: Data("foreign".utf8)).output
        #expect(code { _ = try open(two + foreign) } == .foreignTail)
    }

    @Test(arguments: [0, 1, 4096, 100_000])
    func case15PlainExportsAreOneOrdinaryMember(size: Int) throws {
        let document = TestBytes.mixed(size)
        let sink = DataContainerSink()
        try open(store(document)).exportPlain(to: sink, level: 9)
        let plain = [UInt8](sink.data)
        #expect(sink.isFinished)
        #expect(plain[3] == 0)  // FLG: no FEXTRA, nothing
        #expect(
            plain.littleEndian(at: plain.count - 8, as: UInt32.self) == checksum(Array(document)))
        #expect(plain.littleEndian(at: plain.count - 4, as: UInt32.self) == UInt32(size))
        #expect(try gunzip(sink.data) == document)
        // One member: a reader that knows no second one gets everything.
        let script = """
            import sys, zlib
            d = zlib.decompressobj(31); out = d.decompress(sys.stdin.buffer.read())
            assert d.eof and not d.unused_data
            sys.stdout.buffer.write(out)
            """
        #expect(try run("python3", "-c", script, input: sink.data).output == document)
    }

    @Test(arguments: [1, 511, 512, 4096])
    func case16TrailingZerosAreToleratedAndRemoved(count: Int) throws {
        let document = TestBytes.mixed(20_000)
        let url = try TemporaryFolder.uniqueFile("zeros.gz")
        try (store(document) + Data(count: count)).write(to: url)
        let provider = try CompressedDataProvider(url: url)
        #expect(try provider.data() == document)
        #expect(try provider.info().tornByteCount == UInt64(count))
        try provider.save(.append, Data("tail".utf8))
        #expect(try provider.info().tornByteCount == 0)
        #expect(try gunzip(Data(contentsOf: url)) == document + Data("tail".utf8))
    }

    @Test func case18UnknownSubfieldsAreSkipped() throws {
        let unknown: [UInt8] = [0x58, 0x59, 3, 0, 1, 2, 3]
        let long: [UInt8] = [0x58, 0x5a, 0x10, 0x27] + Array(repeating: 7, count: 10_000)
        for (before, after) in [
            (unknown, []), ([], unknown), (unknown, unknown), (long, []), ([], long),
        ] {
            var crafted = CraftedStore(before: before, after: after)
            try crafted.add(Data("first ".utf8))
            try crafted.add(Data("second".utf8))
            #expect(try open(crafted.finished()).data() == Data("first second".utf8))
            // And by hopping, with the index broken.
            var broken = crafted.finished()
            broken[crafted.bytes.count + 60] ^= 1
            let rebuilt = try open(broken)
            #expect(try rebuilt.info().isRebuilt)
            #expect(try rebuilt.data() == Data("first second".utf8))
            #expect(try gunzip(crafted.finished()) == Data("first second".utf8))
        }
    }

    @Test func case18MalformedSubfieldsAreErrorsByName() throws {
        let block = MemberHeader.encode(.block, payload: Array(repeating: 0, count: 16))
        var noExtra = Array(block[..<12])
        (noExtra[10], noExtra[11]) = (0, 0)
        var huge = block
        (huge[10], huge[11]) = (0xff, 0xff)
        var runsPast = block
        runsPast[14] = 17
        var truncated = block
        truncated[10] = 3
        for header in [noExtra, huge, runsPast, truncated] {
            #expect(throws: MemberFault.self) {
                try MemberHeader(header + Array(repeating: 0, count: 70_000))
            }
            #expect(
                code { _ = try open(Data(header + Array(repeating: 0, count: 300))) } == .notAStore)
        }
    }

    @Test(.enabled(if: hasProgram("busybox"), "busybox is not installed"))
    func case19BusyboxReadsAHundredThousandBlocks() throws {
        let document = TestBytes.mixed(100_000 * 512)
        let stored = try store(document, level: 1, blockSize: 512)
        let provider = try open(stored)
        #expect(try provider.info().blockCount == 100_000)
        var position = 0
        let bytes = [UInt8](stored)
        let blocks = try provider.blocks()
        for block in blocks {
            #expect(bytes.littleEndian(at: position + 10, as: UInt16.self) <= 16_384)
            position += block.memberSize
        }
        while position < bytes.count {
            let extra = Int(bytes.littleEndian(at: position + 10, as: UInt16.self))
            #expect(extra <= 16_384)
            position += 12 + extra + 10
        }
        let restored = try run("busybox", "gunzip", "-c", input: stored)
        #expect(restored.status == 0 && restored.output == document)
    }
}
