import Foundation
import Testing

extension ToolTests {
    /// `log`, `cat --revision`, `rollback` and `compact`.
    @Suite struct HistoryTests {
        let folder: ToolFolder
        /// The document of each revision, oldest first.
        let documents: [Data]

        init() async throws {
            folder = try ToolFolder()
            var documents = [ToolSample.lines(20_000)]
            let packed = try await folder.quire(
                "pack", "-", "-o", "a.gz", "--block-size", "4K", input: documents[0])
            try #require(packed.status == 0)
            for number in 1...11 {
                let tail = ToolSample.lines(number * 50)
                let appended = try await folder.quire("append", "a.gz", "-", input: tail)
                try #require(appended.status == 0)
                documents.append(documents[number - 1] + tail)
            }
            self.documents = documents
        }

        @Test func theLogIsATableNewestFirst() async throws {
            let result = try await folder.quire("log", "a.gz")
            #expect(result.status == 0 && result.words == "")
            let lines = result.text.split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.first == ["revision", "committed", "document", "store"])
            #expect(lines.dropFirst().map { $0[0] } == (1...12).reversed().map { "\($0)" })
            #expect(lines.last?[2] == "20,000")
        }

        @Test func theLogIsAListForMachines() async throws {
            let json = try await folder.quire("log", "--json", "a.gz").json
            let list = try #require(json as? [[String: Any]])
            #expect(list.map { $0["revision"] as? Int } == (1...12).reversed())
            #expect(list.map { $0["documentSize"] as? Int } == documents.reversed().map(\.count))
            #expect(
                list.allSatisfy {
                    $0.keys.sorted() == ["committedAt", "documentSize", "revision", "storedSize"]
                })
            #expect(list.first?["storedSize"] as? Int == (try folder["a.gz"].count))
        }

        @Test func aLogIsListedUpToItsDamage() async throws {
            let json = try await folder.quire("log", "--json", "a.gz").json
            let list = try #require(json as? [[String: Any]])
            let end = try #require(list[2]["storedSize"] as? Int)
            try folder.change("a.gz") { $0[end - 30] ^= 1 }
            let result = try await folder.quire("log", "a.gz")
            #expect(result.status == 3)
            #expect(result.text.split(separator: "\n").count == 3)
            #expect(
                result.words
                    == "quire: a.gz: the footer of an earlier revision is damaged, at byte \(end - 146) of the store\n"
            )
        }

        @Test(arguments: [1, 2, 7, 12])
        func catWritesAnyRevision(_ revision: Int) async throws {
            let result = try await folder.quire("cat", "a.gz", "--revision", "\(revision)")
            #expect(result.status == 0 && result.words == "")
            #expect(result.output == documents[revision - 1])
            let range = try await folder.quire(
                "cat", "--revision=\(revision)", "a.gz", "--offset", "19990", "--length", "100")
            #expect(range.output == documents[revision - 1].dropFirst(19_990).prefix(100))
        }

        @Test(arguments: [["cat", "a.gz", "--revision", "13"], ["rollback", "a.gz", "13"]])
        func aRevisionThatIsNotThereIsOneLine(_ words: [String]) async throws {
            let before = try folder["a.gz"]
            let result = try await folder.start(words).result()
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(
                result.words
                    == "quire: a.gz: there is no revision 13; the store has 1...12\n")
            #expect(try folder["a.gz"] == before)
        }

        @Test func aRollbackSaysWhatItDrops() async throws {
            let result = try await folder.quire("rollback", "a.gz", "4")
            #expect(result.status == 0 && result.words == "")
            #expect(
                result.text
                    == "a.gz: revision 4, 20,300 bytes (19.8 KiB); dropped: revisions 5...12, 3,000 bytes (2.9 KiB) of the document\n"
            )
            #expect(try await folder.quire("cat", "a.gz").output == documents[3])
            #expect(try await folder.gunzip("a.gz").output == documents[3])
            #expect(try await folder.quire("verify", "a.gz").status == 0)
            #expect(try folder.names == ["a.gz"])
            let again = try await folder.quire("rollback", "a.gz", "4")
            #expect(again.text == "a.gz: revision 4, 20,300 bytes (19.8 KiB); dropped: nothing\n")
            let one = try await folder.quire("rollback", "a.gz", "3")
            #expect(one.text.contains("; dropped: revision 4, 150 bytes of the document\n"))
            #expect(
                try await folder.quire("append", "a.gz", "-", input: Data("x".utf8)).status == 0)
            #expect(try await folder.quire("cat", "a.gz").output == documents[2] + Data("x".utf8))
        }

        @Test func aRollbackDropsATornAppend() async throws {
            let before = try folder["a.gz"]
            try folder.change("a.gz") { $0 += ToolSample.noise(100) }
            let result = try await folder.quire("rollback", "a.gz", "12")
            #expect(result.text.hasSuffix("; dropped: 100 bytes of a torn append\n"))
            #expect(try folder["a.gz"] == before)
        }

        @Test func infoSaysThatCompactingPaysAndCompactSaysWhatItSaved() async throws {
            #expect(
                try await folder.quire("info", "a.gz").text
                    .contains("\ncompacting    would spare 10 blocks and about "))
            let before = try folder["a.gz"].count
            let result = try await folder.quire("compact", "a.gz")
            let after = try folder["a.gz"].count
            #expect(result.status == 0 && result.words == "")
            #expect(result.text.hasPrefix("a.gz: 16 -> 6 blocks, "))
            #expect(result.text.contains("; saved "))
            #expect(after < before)
            #expect(try await folder.quire("cat", "a.gz").output == documents[11])
            #expect(try await folder.quire("verify", "a.gz").status == 0)
            let json = try await folder.quire("info", "--json", "a.gz").json
            let info = try #require(json as? [String: Any])
            #expect(info["revision"] as? Int == 13)
            #expect(info["compactingPays"] as? Bool == false)
            #expect(info["compactedSize"] as? Int == after)
            #expect(info["compactedBlockCount"] as? Int == 6)
            let again = try await folder.quire("compact", "a.gz")
            #expect(again.text == "a.gz: nothing to gain, the store is left as it is\n")
            #expect(again.status == 0)
        }

        @Test func aDamagedStoreIsNotCompacted() async throws {
            try folder.flipByteOfBlock(at: 5000)
            let before = try folder["a.gz"]
            let result = try await folder.quire("compact", "a.gz")
            #expect(result.status == 3)
            #expect(
                result.words.hasPrefix("quire: a.gz: ")
                    && result.words.contains(", block 1, at byte "))
            #expect(try folder["a.gz"] == before)
            #expect(try folder.names == ["a.gz"])
        }

        @Test(arguments: [["log"], ["rollback"], ["compact"], ["repair"]])
        func whatIsNoStoreIsOneLine(_ words: [String]) async throws {
            try folder.write(documents[0], to: "text")
            let rest = words == ["rollback"] ? ["1"] : []
            let text = try await folder.start(words + ["text"] + rest).result()
            #expect(text.status == 1)
            #expect(text.words == "quire: text: this is not a Quire store: it is not gzip\n")
            let none = try await folder.start(words + ["none.gz"] + rest).result()
            #expect(none.status == 1)
            #expect(none.words == "quire: none.gz: no such file or directory\n")
            let here = try await folder.start(words + ["."] + rest).result()
            #expect(here.status == 1 && here.words == "quire: .: is a directory\n")
            #expect(try folder.names == ["a.gz", "text"])
        }
    }
}
