import Foundation
import Testing

extension ToolTests {
    @Suite struct VerifyTests {
        let folder: ToolFolder
        let document = ToolSample.lines(20_000) + ToolSample.noise(20_000)

        init() async throws {
            folder = try ToolFolder()
            let packed = try await folder.quire(
                "pack", "-", "-o", "a.gz", "--block-size", "4K", input: document)
            try #require(packed.status == 0)
        }

        private func damages() async throws -> [[String: Any]] {
            let result = try await folder.quire("verify", "--json", "a.gz")
            #expect(result.status == 3)
            let reports = try #require(try result.json as? [[String: Any]])
            #expect(reports.count == 1)
            #expect(reports.first?["isSound"] as? Bool == false)
            return try #require(reports.first?["damages"] as? [[String: Any]])
        }

        @Test func aSoundStoreIsOneLine() async throws {
            let result = try await folder.quire("verify", "a.gz")
            #expect(result.status == 0)
            #expect(result.words == "")
            #expect(result.text == "a.gz: sound, 10 blocks, 40,000 bytes (39.1 KiB), revision 1\n")
        }

        @Test func soundStoresAreAListForMachines() async throws {
            try folder.write(try folder["a.gz"], to: "b.gz")
            let result = try await folder.quire("verify", "--json", "a.gz", "b.gz")
            #expect(result.status == 0)
            let reports = try #require(try result.json as? [[String: Any]])
            #expect(reports.map { $0["file"] as? String } == ["a.gz", "b.gz"])
            #expect(reports.allSatisfy { $0["isSound"] as? Bool == true && $0["error"] is NSNull })
            #expect(
                reports.first?.keys.sorted() == [
                    "blockCount", "damages", "documentSize", "error", "file", "isSound",
                    "restorableRevision", "revision",
                    "wholeRevision",
                ])
        }

        @Test func everyDamagedBlockIsNamed() async throws {
            try folder.flipByteOfBlock(at: 5000)
            try folder.flipByteOfBlock(at: 39_000)
            let result = try await folder.quire("verify", "a.gz")
            #expect(result.status == 3)
            let lines = result.text.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(
                lines[0].hasPrefix("a.gz: damaged: block 1, bytes 4096...8191 of the document: "))
            #expect(lines[0].hasSuffix(" of the store"))
            #expect(
                lines[1].hasPrefix("a.gz: damaged: block 9, bytes 36864...39999 of the document: "))
            let damages = try await damages()
            #expect(damages.map { $0["block"] as? Int } == [1, 9])
            #expect(damages.map { $0["offset"] as? Int } == [4096, 36_864])
            #expect(damages.map { $0["length"] as? Int } == [4096, 3136])
            #expect(damages.allSatisfy { $0["code"] as? String == "damagedBlock" })
            #expect(damages.allSatisfy { $0["fileOffset"] is Int && $0["message"] is String })
        }

        @Test func tornTailsAreDamage() async throws {
            let size = try folder["a.gz"].count
            try folder.change("a.gz") { $0 += ToolSample.noise(100) }
            let damages = try await damages()
            #expect(damages.count == 1)
            #expect(damages.first?["code"] as? String == "truncated")
            #expect(damages.first?["fileOffset"] as? Int == size)
            #expect(damages.first?["block"] is NSNull)
        }

        @Test func aDamagedIndexIsDamage() async throws {
            try folder.change("a.gz") { $0[$0.count - 146 - 40] ^= 1 }
            #expect(try await damages().map { $0["code"] as? String } == ["damagedIndex"])
        }

        @Test func whatCannotBeOpenedIsNamed() async throws {
            try folder.change("a.gz") { $0 = $0.prefix(3000) }
            let damages = try await damages()
            #expect(damages.map { $0["code"] as? String } == ["truncated", "truncated"])
            let offset = try #require(damages.last?["offset"] as? Int)
            #expect(offset > 0 && offset % 4096 == 0)
            #expect(damages.last?["length"] is NSNull)
            let lines = try await folder.quire("verify", "a.gz").text.split(separator: "\n")
            #expect(
                lines.last?.hasPrefix(
                    "a.gz: damaged: all from byte \(offset) of the document on: ") == true)
        }

        @Test func blocksAreNamedWithoutAnIndex() async throws {
            try folder.flipByteOfBlock(at: 5000)
            try folder.change("a.gz") { store in
                store[1] ^= 1  // the header of block 0
                store[store.count - 146 - 40] ^= 1
            }
            let damages = try await damages()
            #expect(damages.map { $0["block"] as? Int } == [nil, 0, 1])
            #expect(damages.map { $0["offset"] as? Int } == [nil, 0, 4096])
            #expect(damages.map { $0["length"] as? Int } == [nil, 4096, 4096])
        }

        @Test func aRangeThatNoFooterProvesIsNotExact() async throws {
            try folder.flipByteOfBlock(at: 9000, inHeader: true)
            try folder.change("a.gz") { store in
                store[store.count - 146 - 20] ^= 1
                store[store.count - 20] ^= 1
            }
            let damages = try await damages().dropFirst()
            #expect(damages.map { $0["offset"] as? Int } == [8192, 40_000])
            #expect(damages.map { $0["blockCount"] as? Int } == [1, nil])
            #expect(damages.map { $0["isExact"] as? Bool } == [false, false])
            let text = try await folder.quire("verify", "a.gz").text
            #expect(text.contains("block 2, about bytes 8192...12287 of the document: "))
        }

        @Test func aSaveThatLacksItsFooterAloneCanBeRestored() async throws {
            #expect(try await folder.quire("append", "a.gz", "-", input: document).status == 0)
            try folder.change("a.gz") { $0[$0.count - 40] ^= 1 }
            let result = try await folder.quire("verify", "a.gz")
            #expect(result.status == 3)
            #expect(result.text.hasSuffix("\na.gz: quire repair can restore revision 2\n"))
            #expect(try await folder.quire("repair", "a.gz").status == 0)
            #expect(try await folder.quire("cat", "a.gz").output == document + document)
        }

        @Test func aDamagedIndexBetweenCommitsIsNamedAndRestored() async throws {
            let end = try folder["a.gz"].count
            #expect(
                try await folder.quire("append", "a.gz", "-", input: Data("x".utf8)).status == 0)
            let sound = try folder["a.gz"]
            for place in [end - 146, end - 146 - 100, end - 146 - 62 - 120 + 3] {
                try folder.change("a.gz") { $0[place] ^= 1 }
                let damages = try await damages()
                #expect(damages.map { $0["code"] as? String }.contains("damagedIndex"))
                #expect(damages.allSatisfy { $0["block"] is NSNull && $0["fileOffset"] is Int })
                let document = try await folder.quire("cat", "a.gz")
                #expect(document.status == 0 && document.output == self.document + Data("x".utf8))
                #expect(try await folder.quire("repair", "--no-backup", "a.gz").status == 0)
                #expect(try folder["a.gz"] == sound)
            }
        }

        @Test func anIndexOfAnotherStoreCostsNoBlock() async throws {
            let noise = (0..<2).map { Data(ToolSample.noise(30_000 + $0 * 10_000).suffix(30_000)) }
            for (name, bytes) in zip(["b.gz", "c.gz"], noise) {
                let packed = try await folder.quire(
                    "pack", "-", "-o", name, "--block-size", "4K", input: bytes)
                #expect(packed.status == 0)
            }
            let (one, other) = (try folder["b.gz"], try folder["c.gz"])
            let index = one.count - 146 - 62 - 8 * 12
            try folder.write(one.prefix(index) + other.dropFirst(index), to: "a.gz")
            let damages = try await damages()
            #expect(damages.map { $0["code"] as? String } == ["damagedIndex"])
            #expect(damages.allSatisfy { $0["block"] is NSNull })
            #expect(try await folder.quire("cat", "a.gz").output == noise[0])
            #expect(try await folder.quire("repair", "a.gz").status == 0)
            #expect(try await folder.quire("verify", "a.gz").status == 0)
            #expect(try await folder.quire("cat", "a.gz").output == noise[0])
        }

        /// Two copies of a store that were appended to: all that a block has agrees, but for the footers.
        @Test func savesOfTwoCopiesInOneFileAreNeverMixed() async throws {
            try folder.write(try folder["a.gz"], to: "b.gz")
            let noise = ToolSample.noise(40_000)
            var ends: [Int] = []
            for (name, offset) in [("a.gz", 0), ("b.gz", 20_000)] {
                for size in [9000, 500] {
                    let tail = Data(noise[(offset + size)..<(offset + 2 * size)])
                    #expect(try await folder.quire("append", name, "-", input: tail).status == 0)
                    ends.append(try folder[name].count)
                }
            }
            #expect(ends[0] == ends[2] && ends[1] == ends[3])
            try folder.write(
                try folder["a.gz"].prefix(ends[0]) + folder["b.gz"].dropFirst(ends[0]), to: "a.gz")
            let mixed = try await folder.quire("cat", "a.gz")
            #expect(mixed.status == 3 && mixed.output.isEmpty)
            #expect(try await damages().first?["code"] as? String == "damagedIndex")
            // The last commit that is of one store comes back, and what is lost is told.
            let repaired = try await folder.quire("repair", "a.gz")
            #expect(repaired.status == 3 && repaired.text.contains("lost: revision 3"))
            #expect(
                try await folder.quire("cat", "a.gz").output == document + noise[9000..<18_000])
        }

        @Test func theLatestWholeRevisionIsNamed() async throws {
            #expect(try await folder.quire("append", "a.gz", "-", input: document).status == 0)
            try await folder.flipByte(ofBlock: 10)
            let result = try await folder.quire("verify", "a.gz")
            #expect(result.status == 3)
            #expect(result.text.hasSuffix("\na.gz: revision 1 is whole\n"))
            #expect(try await folder.quire("cat", "a.gz", "--revision", "1").output == document)
        }

        @Test func oneThatFailsDoesNotStopTheOthers() async throws {
            try folder.write(document, to: "text")
            let result = try await folder.quire("verify", "none.gz", "text", "a.gz")
            #expect(result.status == 1)
            #expect(result.text.hasPrefix("a.gz: sound, "))
            #expect(
                result.words == """
                    quire: none.gz: no such file or directory
                    quire: text: this is not a Quire store: it is not gzip

                    """)
            let reports = try await folder.quire("verify", "none.gz", "a.gz", "--json")
            let list = try #require(try reports.json as? [[String: Any]])
            #expect(list.map { $0["error"] is String } == [true, false])
        }

        @Test func damageOutweighsFailure() async throws {
            try folder.flipByteOfBlock(at: 0)
            #expect(try await folder.quire("verify", "a.gz", "none.gz").status == 3)
        }

        @Test func everyFlippedByteIsFound() async throws {
            let store = try folder["a.gz"]
            for position in stride(from: 0, to: store.count, by: 1499) {
                try folder.change("a.gz") { $0[position] ^= 0x40 }
                let result = try await folder.quire("verify", "a.gz")
                #expect(result.status == 3 || (position < 10 && result.status == 1), "\(position)")
                try folder.write(store, to: "a.gz")
            }
        }
    }
}
