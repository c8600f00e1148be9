import Foundation
import Testing

extension ToolTests {
    @Suite struct InfoTests {
        let folder: ToolFolder
        let document = ToolSample.lines(20_000) + ToolSample.noise(20_480)

        init() async throws {
            folder = try ToolFolder()
            let packed = try await folder.quire(
                "pack", "-", "-o", "a.gz", "--block-size", "4K", input: document)
            try #require(packed.status == 0)
        }

        private func info(_ options: String...) async throws -> [String: Any] {
            let result = try await folder.start(["info", "a.gz", "--json"] + options).result()
            #expect(result.status == 0)
            return try #require(try result.json as? [String: Any])
        }

        @Test func keysAreStableAndSorted() async throws {
            let text = try await folder.quire("info", "--json", "a.gz").text
            let keys = text.split(separator: "\n").filter { $0.hasPrefix("  \"") }
                .map { String($0.dropFirst(3).prefix { $0 != "\"" }) }
            #expect(
                keys == [
                    "blockCount", "blockSize", "committedAt", "compactedBlockCount",
                    "compactedSize", "compactingPays", "documentSize", "file", "history",
                    "isRebuilt",
                    "ratio", "revision", "storedBlockByteCount", "storedBlockCount",
                    "storedSize", "tornByteCount", "uuid",
                ])
        }

        @Test func numbersAreThoseOfTheStore() async throws {
            let info = try await info()
            let storedSize = try folder["a.gz"].count
            #expect(info["file"] as? String == "a.gz")
            #expect(info["blockCount"] as? Int == 10)
            #expect(info["blockSize"] as? Int == 4096)
            #expect(info["documentSize"] as? Int == document.count)
            #expect(info["storedSize"] as? Int == storedSize)
            #expect(info["storedBlockCount"] as? Int == 5)
            #expect(info["storedBlockByteCount"] as? Int == 20_000)
            #expect(info["revision"] as? Int == 1)
            #expect(info["tornByteCount"] as? Int == 0)
            #expect(info["isRebuilt"] as? Bool == false)
            let ratio = try #require(info["ratio"] as? Double)
            #expect(abs(ratio - Double(storedSize) / Double(document.count)) <= 0.00005)
            #expect(UUID(uuidString: info["uuid"] as? String ?? "") != nil)
        }

        @Test func timesAreISO8601InUTC() async throws {
            let time = try #require(try await info()["committedAt"] as? String)
            #expect(time.count == 24)
            let date = try Date(
                time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            #expect(abs(date.timeIntervalSinceNow) < 600)
        }

        @Test func historyIsNewestFirst() async throws {
            #expect(
                try await folder.quire("append", "a.gz", "-", input: Data("tail".utf8)).status == 0)
            let history = try #require(try await info()["history"] as? [[String: Any]])
            #expect(history.map { $0["revision"] as? Int } == [2, 1])
            #expect(
                history.map { $0["documentSize"] as? Int } == [document.count + 4, document.count])
            #expect(history.first?["storedSize"] as? Int == (try folder["a.gz"].count))
            let text = try await folder.quire("info", "a.gz").text
            #expect(text.contains("revision  committed"))
        }

        @Test func blocksTileTheDocument() async throws {
            #expect(try await info()["blocks"] == nil)
            let blocks = try #require(try await info("--blocks")["blocks"] as? [[String: Any]])
            #expect(blocks.count == 10)
            var offset = 0
            var fileOffset = 0
            for (number, block) in blocks.enumerated() {
                #expect(block["number"] as? Int == number)
                #expect(block["offset"] as? Int == offset)
                #expect(block["fileOffset"] as? Int == fileOffset)
                #expect((block["checksum"] as? String)?.count == 8)
                offset += try #require(block["size"] as? Int)
                fileOffset += try #require(block["memberSize"] as? Int)
            }
            #expect(offset == document.count)
            #expect(blocks.filter { $0["isStored"] as? Bool == true }.count == 5)
        }

        @Test func peopleGetAlignedLines() async throws {
            let result = try await folder.quire("info", "--blocks", "a.gz")
            #expect(result.status == 0)
            #expect(result.words == "")
            let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first == "document      40,480 bytes (39.5 KiB)")
            #expect(lines.contains("blocks        10 of up to 4,096 bytes (4 KiB)"))
            #expect(
                lines.contains { $0.hasPrefix("stored as is  5 blocks, 20,000 bytes (19.5 KiB), ") }
            )
            #expect(lines.contains { $0.hasPrefix("saved ") && $0.hasSuffix(" %") })
            #expect(lines.filter { $0.contains("  deflated  ") }.count == 5)
            #expect(lines.allSatisfy { $0.last != " " })
        }

        @Test func anEmptyDocumentHasNoRatio() async throws {
            #expect(try await folder.quire("pack", "-", "-o", "a.gz", "--force").status == 0)
            let info = try await info("--blocks")
            #expect(info["ratio"] is NSNull)
            #expect((info["blocks"] as? [Any])?.isEmpty == true)
            #expect(
                try await folder.quire("info", "a.gz").text.hasPrefix("document      0 bytes\n"))
        }

        @Test func aTornTailIsToldOnBothStreams() async throws {
            try folder.change("a.gz") { $0 += ToolSample.noise(2000) }
            let result = try await folder.quire("info", "a.gz")
            let note = "2,000 bytes (2 KiB) of a torn append follow revision 1; they are ignored"
            #expect(result.status == 0)
            #expect(result.words == "quire: a.gz: \(note)\n")
            #expect(result.text.contains("note          \(note)\n"))
            #expect(try await info()["tornByteCount"] as? Int == 2000)
        }

        @Test func aRebuiltIndexIsTold() async throws {
            try folder.change("a.gz") { $0[$0.count - 146 - 40] ^= 1 }
            let result = try await folder.quire("info", "a.gz")
            #expect(result.status == 0)
            #expect(result.words.contains("rebuilt"))
            #expect(try await info()["isRebuilt"] as? Bool == true)
            #expect(try await folder.quire("cat", "a.gz").output == document)
        }

        @Test func aDamagedHistoryIsToldAfterTheRest() async throws {
            let size = try folder["a.gz"].count
            // A save as large as the document takes over the first segment: its footer is then history alone.
            #expect(try await folder.quire("append", "a.gz", "-", input: document).status == 0)
            try folder.change("a.gz") { $0[size - 60] ^= 1 }
            let result = try await folder.quire("info", "--json", "a.gz")
            #expect(result.status == 3)
            #expect(result.words.contains("the footer of an earlier revision is damaged"))
            #expect(try (result.json as? [String: Any])?["history"] is NSNull)
        }

        @Test func whatIsNoStoreFails() async throws {
            try folder.write(document, to: "text")
            let result = try await folder.quire("info", "text")
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.words == "quire: text: this is not a Quire store: it is not gzip\n")
        }
    }
}
