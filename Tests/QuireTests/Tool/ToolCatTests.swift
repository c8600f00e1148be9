import Foundation
import Testing

extension ToolTests {
    @Suite struct CatTests {
        let folder: ToolFolder
        let document = ToolSample.lines(20_000) + ToolSample.noise(20_000)

        init() async throws {
            folder = try ToolFolder()
            try folder.write(document, to: "a")
            let packed = try await folder.quire("pack", "a", "--block-size", "4K")
            try #require(packed.status == 0)
        }

        @Test func theWholeDocumentComesWithoutOptions() async throws {
            let result = try await folder.quire("cat", "a.gz")
            #expect(result.status == 0)
            #expect(result.words == "")
            #expect(result.output == document)
        }

        @Test(arguments: [0, 1, 4095, 4096, 4097, 19_999, 39_999, 40_000, 40_001, 1 << 40])
        func rangesAreThoseOfTheDocument(_ offset: Int) async throws {
            for length in [0, 1, 4096, 4097, 1 << 40] {
                let start = min(offset, document.count)
                let end = min(start + length, document.count)
                let result = try await folder.quire(
                    "cat", "a.gz", "--offset", "\(offset)", "--length", "\(length)")
                #expect(result.status == 0)
                #expect(result.output == document[start..<end])
            }
        }

        @Test func suffixesArePowersOf1024() async throws {
            let result = try await folder.quire("cat", "--offset=4k", "--length=1K", "a.gz")
            #expect(result.output == document[4096..<5120])
            let whole = try await folder.quire("cat", "a.gz", "--length", "99999999999999999999G")
            #expect(whole.output == document)
        }

        @Test(arguments: ["x", "-1", "1.5", "K", "0x10", "1KB", "+1", ""])
        func whatIsNoNumberIsWrongUsage(_ number: String) async throws {
            let result = try await folder.quire("cat", "a.gz", "--offset", number)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.words.contains("(see quire cat --help)"))
        }

        @Test func aDamagedBlockCostsOnlyItself() async throws {
            try folder.flipByteOfBlock(at: 4164)
            let before = try await folder.quire("cat", "a.gz", "--length", "4K")
            #expect(before.status == 0)
            #expect(before.output == document.prefix(4096))
            let after = try await folder.quire("cat", "a.gz", "--offset", "8K")
            #expect(after.status == 0)
            #expect(after.output == document.dropFirst(8192))
            let inside = try await folder.quire("cat", "a.gz", "--offset", "5000", "--length", "1")
            #expect(inside.status == 3)
            #expect(inside.output.isEmpty)
        }

        @Test func whatComesBeforeTheDamageIsWritten() async throws {
            try folder.flipByteOfBlock(at: 4164)
            let result = try await folder.quire("cat", "a.gz", "--offset", "10")
            #expect(result.status == 3)
            #expect(result.output == document[10..<4096])
            #expect(
                result.words.hasPrefix("quire: a.gz: block 1, bytes 4096...8191 of the document: "))
            #expect(result.words.split(separator: "\n").count == 1)
        }

        @Test func aClosedPipeIsSilence() async throws {
            let large = ToolSample.noise(3_000_000)
            try folder.write(large, to: "b")
            #expect(try await folder.quire("pack", "b").status == 0)
            let pipe = Pipe()
            let run = try folder.start(["cat", "b.gz"], output: pipe.fileHandleForWriting)
            try pipe.fileHandleForWriting.close()
            #expect(try pipe.fileHandleForReading.read(upToCount: 10) == large.prefix(10))
            try pipe.fileHandleForReading.close()
            let result = try await run.result()
            #expect(result.status == 128 + SIGPIPE)
            #expect(result.words == "")
        }

        @Test func aSaveMeanwhileIsNotSeen() async throws {
            let large = ToolSample.noise(3_000_000)
            try folder.write(large, to: "b")
            #expect(try await folder.quire("pack", "b").status == 0)
            let pipe = Pipe()
            let run = try folder.start(["cat", "b.gz"], output: pipe.fileHandleForWriting)
            try pipe.fileHandleForWriting.close()
            var output = try pipe.fileHandleForReading.read(upToCount: 10) ?? Data()
            #expect(try await folder.quire("append", "b.gz", "a").status == 0)
            #expect(try await folder.quire("pack", "--force", "a", "-o", "b.gz").status == 0)
            output += try pipe.fileHandleForReading.readToEnd() ?? Data()
            #expect(try await run.result().status == 0)
            #expect(output == large)
        }

        @Test func aStoreIsNotAppendedToItself() async throws {
            let output = try FileHandle(forUpdating: folder.url.appending(path: "a.gz"))
            try output.seekToEnd()
            let result = try await folder.start(["cat", "a.gz"], output: output).result()
            #expect(result.status == 1)
            #expect(result.words == "quire: standard output: the output is the input\n")
            #expect(try await folder.quire("verify", "a.gz").status == 0)
        }

        @Test func whatIsNoStoreIsNotDamaged() async throws {
            let gzip = try #require(
                Data(base64Encoded: "H4sIAAAAAAACA0vMAQBqZTt5AgAAAA=="))  // an ordinary .gz of "al"
            for (name, data) in [("text", document), ("empty", Data()), ("plain.gz", gzip)] {
                try folder.write(data, to: name)
                let result = try await folder.quire("cat", name)
                #expect(result.status == 1)
                #expect(result.words.contains("not a Quire store"))
            }
        }

        @Test func missingFilesAndFoldersAreNamed() async throws {
            let missing = try await folder.quire("cat", "none.gz")
            #expect(missing.status == 1)
            #expect(missing.words == "quire: none.gz: no such file or directory\n")
            let folder = try await folder.quire("cat", ".")
            #expect(folder.status == 1)
            #expect(folder.words == "quire: .: is a directory\n")
        }

        @Test func standardInputIsNoStore() async throws {
            let result = try await folder.quire("cat", "-")
            #expect(result.status == 2)
            #expect(result.words.contains("standard input"))
        }
    }
}

extension ToolFolder {
    /// Flips a byte of the block of `a.gz` that holds this offset; blocks are of 4,096 bytes.
    func flipByteOfBlock(at offset: Int, inHeader: Bool = false) throws {
        // The members are found as FORMAT.md says: a size in each header.
        try change("a.gz") { store in
            var position = 0
            for _ in 0..<offset / 4096 { position += Self.memberSize(in: store, at: position) }
            let middle = 32 + (Self.memberSize(in: store, at: position) - 40) / 2
            store[position + (inHeader ? 0 : middle)] ^= 0x10
        }
    }

    /// The memberSize in the header of a block at `position`.
    private static func memberSize(in store: Data, at position: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(store[position + 24 + $1]) << (8 * $1) }
    }
}
