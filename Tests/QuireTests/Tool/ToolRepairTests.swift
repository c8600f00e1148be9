import Foundation
import Testing

extension ToolTests {
    @Suite struct RepairTests {
        let folder: ToolFolder
        let document = ToolSample.lines(20_000) + ToolSample.noise(20_000)
        let sound: Data

        init() async throws {
            folder = try ToolFolder()
            let packed = try await folder.quire(
                "pack", "-", "-o", "a.gz", "--block-size", "4K", input: document)
            try #require(packed.status == 0)
            sound = try folder["a.gz"]
        }

        private func damageIndex() throws {
            try folder.change("a.gz") { $0[$0.count - 146 - 40] ^= 1 }
        }

        @Test func aSoundStoreIsLeftAloneWhateverIsBesideIt() async throws {
            try folder.write(Data("precious".utf8), to: "a.gz.bak")
            let result = try await folder.quire("repair", "a.gz")
            #expect(result.status == 0 && result.words == "")
            #expect(result.text == "a.gz: sound, nothing to repair\n")
            #expect(try folder["a.gz"] == sound)
            #expect(try folder["a.gz.bak"] == Data("precious".utf8))
        }

        @Test func aBackupThatIsStillTheFileIsMadeAnew() async throws {
            // What a repair leaves that is killed between the link and the renaming.
            try folder.change("a.gz") { $0[$0.count - 146 - 20] ^= 1 }
            let damaged = try folder["a.gz"]
            try FileManager.default.linkItem(
                at: folder.url.appending(path: "a.gz"), to: folder.url.appending(path: "a.gz.bak"))
            let result = try await folder.quire("repair", "a.gz")
            #expect(result.status == 0)
            #expect(try folder["a.gz.bak"] == damaged)
            #expect(try folder["a.gz"] != damaged)
        }

        @Test func aDamagedIndexIsRestoredAndTheDamagedStoreIsKept() async throws {
            try damageIndex()
            let damaged = try folder["a.gz"]
            let result = try await folder.quire("repair", "a.gz")
            #expect(result.status == 0 && result.words == "")
            #expect(
                result.text.hasPrefix(
                    "a.gz: repaired: the index of revision 1 was damaged, at byte "))
            #expect(
                result.text.hasSuffix(
                    "\na.gz: written, revision 1, 40,000 bytes (39.1 KiB); what it was is a.gz.bak\n"
                ))
            #expect(try folder["a.gz"] == sound)
            #expect(try folder["a.gz.bak"] == damaged)
            #expect(try folder.names == ["a.gz", "a.gz.bak"])
            #expect(try await folder.quire("verify", "a.gz").status == 0)
        }

        @Test func aBackupIsNeverOverwritten() async throws {
            try damageIndex()
            let damaged = try folder["a.gz"]
            try folder.write(Data("precious".utf8), to: "a.gz.bak")
            let result = try await folder.quire("repair", "a.gz")
            #expect(result.status == 1)
            #expect(
                result.words
                    == "quire: a.gz.bak: exists, and a backup is never overwritten; give --no-backup, or -o FILE\n"
            )
            #expect(try folder["a.gz"] == damaged)
            #expect(try folder["a.gz.bak"] == Data("precious".utf8))
            let without = try await folder.quire("repair", "--no-backup", "a.gz")
            #expect(without.status == 0)
            #expect(try folder["a.gz"] == sound)
            #expect(try folder["a.gz.bak"] == Data("precious".utf8))
        }

        @Test func aFileElsewhereLeavesTheStoreAlone() async throws {
            try damageIndex()
            let damaged = try folder["a.gz"]
            let result = try await folder.quire("repair", "a.gz", "-o", "b.gz")
            #expect(result.status == 0)
            #expect(result.text.contains("a.gz: written to b.gz, revision 1, "))
            #expect(try folder["a.gz"] == damaged)
            #expect(try folder["b.gz"] == sound)
            #expect(try folder.names == ["a.gz", "b.gz"])
            let again = try await folder.quire("repair", "a.gz", "-o", "b.gz")
            #expect(again.status == 1 && again.words.contains("b.gz: exists; --force replaces it"))
            #expect(try await folder.quire("repair", "a.gz", "-o", "b.gz", "-f").status == 0)
            let itself = try await folder.quire("repair", "a.gz", "-o", "a.gz", "-f")
            #expect(itself.status == 1 && itself.words.contains("the output is the input"))
            #expect(try folder["a.gz"] == damaged)
        }

        @Test func aTornTailIsCutOff() async throws {
            try folder.change("a.gz") { $0 += ToolSample.noise(100) }
            let result = try await folder.quire("repair", "a.gz")
            #expect(result.status == 0)
            #expect(result.text.hasPrefix("a.gz: repaired: 100 bytes of a torn append followed, "))
            #expect(try folder["a.gz"] == sound)
        }

        @Test func damagedBlocksAreNamedAndNothingIsWritten() async throws {
            #expect(try await folder.quire("append", "a.gz", "-", input: document).status == 0)
            try await folder.flipByte(ofBlock: 11)
            let damaged = try folder["a.gz"]
            let result = try await folder.quire("repair", "a.gz")
            #expect(result.status == 3 && result.words == "")
            let lines = result.text.split(separator: "\n")
            try #require(lines.count == 3)
            #expect(
                lines[0].hasPrefix("a.gz: damaged: block 11, bytes 44096...48191 of the document: ")
            )
            #expect(lines[1] == "a.gz: revision 1 is whole")
            #expect(lines[2] == "a.gz: --salvage writes the rest, with zeros for what is damaged")
            #expect(try folder["a.gz"] == damaged)
            #expect(try folder.names == ["a.gz"])
        }

        @Test func aSalvageKeepsEveryOtherByteInItsPlace() async throws {
            try folder.flipByteOfBlock(at: 5000)
            try folder.flipByteOfBlock(at: 39_000)
            try damageIndex()
            let damaged = try folder["a.gz"]
            let result = try await folder.quire("repair", "--salvage", "--json", "a.gz")
            #expect(result.status == 3 && result.words == "")
            let report = try #require(try result.json as? [String: Any])
            #expect(
                report.keys.sorted() == [
                    "backup", "documentSize", "error", "file", "holes", "isSalvaged", "losses",
                    "output", "repairs", "revision", "wholeRevision",
                ])
            #expect(report["isSalvaged"] as? Bool == true)
            #expect(report["backup"] as? String == "a.gz.bak")
            let holes = try #require(report["holes"] as? [[String: Any]])
            #expect(holes.map { $0["offset"] as? Int } == [4096, 36_864])
            #expect(holes.map { $0["length"] as? Int } == [4096, 3136])
            #expect(holes.allSatisfy { $0["code"] as? String == "damagedBlock" })
            var expected = document
            expected.resetBytes(in: 4096..<8192)
            expected.resetBytes(in: 36_864..<40_000)
            #expect(try await folder.quire("cat", "a.gz").output == expected)
            #expect(try await folder.gunzip("a.gz").output == expected)
            #expect(try await folder.quire("verify", "a.gz").status == 0)
            #expect(try folder["a.gz.bak"] == damaged)
        }

        @Test func aCutStoreIsSalvagedUpToWhereItWasCut() async throws {
            try folder.change("a.gz") { $0 = $0.prefix(15_000) }
            let refused = try await folder.quire("repair", "a.gz")
            #expect(refused.status == 3 && refused.output.isEmpty)
            #expect(refused.words.hasSuffix("; --salvage writes the blocks that are whole\n"))
            #expect(refused.words.split(separator: "\n").count == 1)
            let result = try await folder.quire("repair", "--salvage", "a.gz", "-o", "b.gz")
            #expect(result.status == 3)
            #expect(result.text.contains("\na.gz: zeros for all from byte "))
            let found = try await folder.quire("cat", "b.gz").output
            #expect(found.count > 20_000 && found == document.prefix(found.count))
            #expect(try await folder.quire("verify", "b.gz").status == 0)
        }

        @Test func theBackupOfALinkedStoreIsBesideTheLink() async throws {
            try damageIndex()
            let damaged = try folder["a.gz"]
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.appending(path: "link.gz").path, withDestinationPath: "a.gz")
            #expect(try await folder.quire("repair", "link.gz").status == 0)
            #expect(try folder["a.gz"] == sound)
            #expect(try folder["link.gz.bak"] == damaged)
            let kind = try FileManager.default.attributesOfItem(
                atPath: folder.url.appending(path: "link.gz").path)[.type]
            #expect(kind as? FileAttributeType == .typeSymbolicLink)
        }

        @Test func theBackupIsNoMoreOpenThanTheStore() async throws {
            try damageIndex()
            let path = folder.url.appending(path: "a.gz").path
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(try await folder.quire("repair", "a.gz").status == 0)
            #expect(try folder.permissions(of: "a.gz") == 0o600)
            #expect(try folder.permissions(of: "a.gz.bak") == 0o600)
        }
    }
}

extension ToolFolder {
    /// Damages a block of a.gz, whichever revision it is of.
    func flipByte(ofBlock number: Int) async throws {
        let json = try await quire("info", "--json", "--blocks", "a.gz").json as? [String: Any]
        let block = try #require((json?["blocks"] as? [[String: Any]])?[number])
        let start = try #require(block["fileOffset"] as? Int)
        let size = try #require(block["memberSize"] as? Int)
        try change("a.gz") { $0[start + size - 8] ^= 1 }  // its CRC
    }
}
