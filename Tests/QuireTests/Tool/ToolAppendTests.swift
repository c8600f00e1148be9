import Foundation
import Testing

extension ToolTests {
    @Suite struct AppendTests {
        let folder: ToolFolder
        let document = ToolSample.lines(20_000)
        let tail = ToolSample.noise(5000)

        init() async throws {
            folder = try ToolFolder()
            try folder.write(tail, to: "tail")
            let packed = try await folder.quire("pack", "-", "-o", "a.gz", input: document)
            try #require(packed.status == 0)
        }

        @Test func theDocumentGoesOn() async throws {
            let store = try folder["a.gz"]
            let result = try await folder.quire("append", "a.gz", "tail")
            #expect(result.status == 0)
            #expect(result.output.isEmpty)
            #expect(result.words == "")
            #expect(try folder["a.gz"].starts(with: store))
            #expect(try await folder.quire("cat", "a.gz").output == document + tail)
            #expect(try await folder.gunzip("a.gz").output == document + tail)
            #expect(try folder.names == ["a.gz", "tail"])
        }

        @Test func standardInputIsAppended() async throws {
            let result = try await folder.quire("append", "--level", "9", "a.gz", "-", input: tail)
            #expect(result.status == 0)
            #expect(try await folder.quire("cat", "a.gz").output == document + tail)
        }

        @Test func incrementalSavesBecomeRevisions() async throws {
            var expected = try ToolSample.fixture("saved.pdf")
            try folder.write(expected, to: "saved.pdf")
            #expect(try await folder.quire("pack", "saved.pdf").status == 0)
            for number in 1...3 {
                let save = try ToolSample.fixture("saved-\(number).bin")
                expected += save
                #expect(
                    try await folder.quire("append", "saved.pdf.gz", "-", input: save).status == 0)
            }
            #expect(try await folder.quire("cat", "saved.pdf.gz").output == expected)
            let info =
                try await folder.quire("info", "--json", "saved.pdf.gz").json as? [String: Any]
            #expect(info?["revision"] as? Int == 4)
            #expect(try await folder.quire("verify", "saved.pdf.gz").status == 0)
        }

        @Test func nothingAndEmptyDocumentsAreAppendedTo() async throws {
            #expect(try await folder.quire("append", "a.gz", "-").status == 0)
            #expect(try await folder.quire("cat", "a.gz").output == document)
            #expect(try await folder.quire("pack", "-", "-o", "empty.gz").status == 0)
            #expect(try await folder.quire("append", "empty.gz", "tail").status == 0)
            #expect(try await folder.quire("cat", "empty.gz").output == tail)
        }

        @Test func aTornTailIsRemoved() async throws {
            try folder.change("a.gz") { $0 += ToolSample.noise(100) }
            let result = try await folder.quire("append", "a.gz", "tail")
            #expect(result.status == 0)
            #expect(result.words.contains("a.gz: 100 bytes of a torn append follow revision 1"))
            #expect(try await folder.quire("cat", "a.gz").output == document + tail)
            #expect(try await folder.quire("verify", "a.gz").status == 0)
        }

        @Test func theSecondOfTwoSavesLoses() async throws {
            let pipe = Pipe()
            let run = try folder.start(["append", "a.gz", "-"], input: .pipe(pipe))
            try pipe.fileHandleForWriting.write(contentsOf: document)
            // The first append is committed while the second is still being collected.
            try await Task.sleep(for: .milliseconds(500))
            #expect(try await folder.quire("append", "a.gz", "tail").status == 0)
            try pipe.fileHandleForWriting.close()
            let result = try await run.result()
            #expect(result.status == 1)
            #expect(result.words.contains("since this save began; nothing was written"))
            #expect(try await folder.quire("cat", "a.gz").output == document + tail)
        }

        @Test func aSignalLeavesTheStoreAsItWas() async throws {
            let store = try folder["a.gz"]
            let pipe = Pipe()
            let run = try folder.start(["append", "a.gz", "-"], input: .pipe(pipe))
            try pipe.fileHandleForWriting.write(contentsOf: ToolSample.noise(60_000))
            try await Task.sleep(for: .milliseconds(500))
            run.process.terminate()
            #expect(try await run.result().status == 143)
            #expect(try folder["a.gz"] == store)
            #expect(try folder.names == ["a.gz", "tail"])
        }

        @Test func aStoreIsNotAppendedToItself() async throws {
            let result = try await folder.quire("append", "a.gz", "a.gz")
            #expect(result.status == 1)
            #expect(result.words.contains("appended to itself"))
        }

        @Test func whatCannotBeAppendedIsNamed() async throws {
            #expect(
                try await folder.quire("append", "a.gz", "none").words.contains("none: no such"))
            #expect(
                try await folder.quire("append", "none.gz", "tail").words.contains("none.gz: no"))
            let foreign = try await folder.quire("append", "tail", "a.gz")
            #expect(foreign.status == 1)
            #expect(foreign.words.contains("tail: this is not a Quire store"))
            #expect(try await folder.quire("append", "a.gz").status == 2)
            #expect(try await folder.quire("append", "a.gz", "tail", "tail").status == 2)
        }

        @Test func joinedStoresAreNotAppendedTo() async throws {
            #expect(try await folder.quire("pack", "tail").status == 0)
            try folder.write(try folder["a.gz"] + folder["tail.gz"], to: "joined.gz")
            let result = try await folder.quire("append", "joined.gz", "tail")
            // The last footer is whole, but names another place: it is not of the file as it is.
            #expect(result.status == 3)
        }
    }
}
