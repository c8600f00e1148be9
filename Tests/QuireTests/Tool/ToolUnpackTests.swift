import Foundation
import Testing

extension ToolTests {
    @Suite struct UnpackTests {
        let folder: ToolFolder
        let document = ToolSample.lines(20_000) + ToolSample.noise(20_000)

        init() async throws {
            folder = try ToolFolder()
            let packed = try await folder.quire(
                "pack", "-", "-o", "a.gz", "--block-size", "4K", input: document)
            try #require(packed.status == 0)
        }

        @Test func theFileComesBackUnderItsName() async throws {
            let result = try await folder.quire("unpack", "a.gz")
            #expect(result.status == 0)
            #expect(result.output.isEmpty)
            #expect(result.words == "")
            #expect(try folder["a"] == document)
            #expect(try folder.names == ["a", "a.gz"])
        }

        @Test func anExistingFileStaysWithoutForce() async throws {
            try folder.write(Data("mine".utf8), to: "a")
            let result = try await folder.quire("unpack", "a.gz")
            #expect(result.status == 1)
            #expect(result.words == "quire: a: exists; --force replaces it\n")
            #expect(try folder["a"] == Data("mine".utf8))
            #expect(try await folder.quire("unpack", "-f", "a.gz").status == 0)
            #expect(try folder["a"] == document)
        }

        @Test func aNameWithoutGzNeedsAnOutput() async throws {
            try folder.write(try folder["a.gz"], to: "store")
            let result = try await folder.quire("unpack", "store")
            #expect(result.status == 1)
            #expect(result.words.contains("does not end in .gz"))
            #expect(try await folder.quire("unpack", "store", "-o", "b").status == 0)
            #expect(try folder["b"] == document)
        }

        @Test func standardOutputGetsTheDocument() async throws {
            #expect(try await folder.quire("unpack", "a.gz", "-o", "-").output == document)
        }

        @Test func severalStoresUnpackBesideThemselves() async throws {
            try folder.write(try folder["a.gz"], to: "b.gz")
            #expect(try await folder.quire("unpack", "a.gz", "b.gz").status == 0)
            #expect(try folder.names == ["a", "a.gz", "b", "b.gz"])
            #expect(try await folder.quire("unpack", "a.gz", "b.gz", "-o", "c").status == 2)
        }

        @Test func aDamagedStoreLeavesNoFile() async throws {
            try folder.flipByteOfBlock(at: 30_000)
            let result = try await folder.quire("unpack", "a.gz")
            #expect(result.status == 3)
            #expect(result.words.contains("a.gz: block 7, bytes 28672...32767 of the document: "))
            #expect(try folder.names == ["a.gz"])
            let plain = try await folder.quire("unpack", "--plain", "a.gz", "-o", "b.gz")
            #expect(plain.status == 3)
            #expect(plain.words.contains("block 7"))
            #expect(try folder.names == ["a.gz"])
        }

        @Test func plainIsOneOrdinaryMember() async throws {
            let result = try await folder.quire("unpack", "--plain", "a.gz", "-o", "b.gz")
            #expect(result.status == 0)
            #expect(try await folder.gunzip("b.gz").output == document)
            let plain = try folder["b.gz"]
            #expect(plain.prefix(4) == Data([0x1f, 0x8b, 8, 0]))
            // Its trailer has the size of all, as only a single member's can.
            #expect(plain.suffix(4) == Data([0x40, 0x9c, 0, 0]))
            #expect(try await folder.quire("cat", "b.gz").status == 1)
        }

        @Test func plainGoesToPipesAndHasLevels() async throws {
            let fast = try await folder.quire("unpack", "--plain", "--level=1", "a.gz", "-o", "-")
            let small = try await folder.quire("unpack", "--plain", "--level=9", "a.gz", "-o", "-")
            #expect(small.output.count < fast.output.count)
        }

        @Test func plainOptionsHaveToFit() async throws {
            #expect(try await folder.quire("unpack", "--plain", "a.gz").status == 2)
            #expect(try await folder.quire("unpack", "--level", "3", "a.gz").status == 2)
        }

        @Test func theStoreIsNeverTheOutput() async throws {
            let store = try folder["a.gz"]
            for option in [["--plain"], []] {
                let arguments = ["unpack", "a.gz", "-o", "a.gz", "--force"] + option
                let result = try await folder.start(arguments).result()
                #expect(result.status == 1)
                #expect(result.words == "quire: a.gz: the output is the input\n")
            }
            #expect(try folder["a.gz"] == store)
        }
    }
}
