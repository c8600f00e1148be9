import Foundation
import Testing

@testable import Quire

extension ToolTests {
    @Suite struct UsageTests {
        static let commands = [
            "append", "cat", "compact", "info", "log", "pack", "repair", "rollback", "unpack",
            "verify",
        ]
        let folder: ToolFolder

        init() throws { folder = try ToolFolder() }

        @Test func theVersionIsAWord() async throws {
            let result = try await folder.quire("--version")
            #expect(result.status == 0)
            #expect(result.text == "quire 0.1.0\n")
        }

        @Test(arguments: ["--help", "-h", "help"])
        func theHelpNamesEveryCommandAndStatus(_ word: String) async throws {
            let result = try await folder.quire(word)
            #expect(result.status == 0)
            #expect(result.words == "")
            for command in Self.commands { #expect(result.text.contains("\n  \(command) ")) }
            for status in 0...3 { #expect(result.text.contains("\n  \(status)  ")) }
        }

        @Test(arguments: commands)
        func everyCommandHasItsHelp(_ command: String) async throws {
            let help = try await folder.quire("help", command)
            #expect(help.status == 0)
            #expect(help.words == "")
            #expect(help.text.hasPrefix("usage: quire \(command) "))
            for part in ["\noptions:\n", "\nexamples:\n  ", "\nexit status: 0 ", "--help"] {
                #expect(help.text.contains(part))
            }
            #expect(help.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
            #expect(try await folder.quire(command, "--help").text == help.text)
            #expect(try await folder.quire(command, "none", "-h").text == help.text)
        }

        @Test(arguments: [
            ("append", ["--level"]), ("cat", ["--offset", "--length", "--revision"]),
            ("compact", ["--level"]), ("log", ["--json"]),
            ("repair", ["--salvage", "--output", "--force", "--no-backup", "--json"]),
            ("info", ["--json", "--blocks"]),
            ("pack", ["--level", "--block-size", "--output", "--force"]),
            ("unpack", ["--level", "--plain", "--output", "--force"]), ("verify", ["--json"]),
        ])
        func everyOptionIsInTheHelp(_ command: String, _ options: [String]) async throws {
            let text = try await folder.quire("help", command).text
            for option in options { #expect(text.contains(" \(option) ")) }
        }

        @Test(arguments: [
            [], ["bogus"], ["--bogus"], ["help", "bogus"], ["help", "cat", "pack"], ["pack"],
            ["cat"],
            ["cat", "a", "b"], ["unpack"], ["append"], ["append", "a"], ["info"],
            ["info", "a", "b"],
            ["verify"], ["verify", "-"], ["log"], ["log", "a", "b"], ["log", "-"], ["rollback"],
            ["rollback", "a"], ["rollback", "a", "0"], ["rollback", "a", "-1"],
            ["rollback", "a", "1", "2"], ["rollback", "a", "x"], ["rollback", "a", "1K"],
            ["rollback", "a", "99999999999999999999"], ["rollback", "-", "1"],
            ["cat", "a", "--revision", "0"], ["cat", "a", "--revision"], ["compact"],
            ["compact", "a", "b"], ["compact", "-"], ["compact", "a", "--level", "99"],
            ["repair"], ["repair", "a", "b"], ["repair", "-"], ["repair", "a", "-o", "-"],
            ["repair", "a", "--force"], ["repair", "a", "-o", "b", "--no-backup"],
            ["pack", "--json", "a"], ["pack", "-x", "a"],
            ["pack", "a", "-o"], ["pack", "a", "--level"], ["pack", "--level=", "a"],
            ["pack", "--level", "0", "a"], ["pack", "--level", "13", "a"],
            ["pack", "--level", "six", "a"], ["pack", "--block-size", "511", "a"],
            ["pack", "--block-size", "1025K", "a"], ["pack", "--block-size", "2M", "a"],
            ["pack", "a", "b", "-o", "c"], ["pack", "--force=yes", "a"], ["pack", ""],
            ["append", "--block-size", "4K", "a", "b"], ["append", "-", "a"],
        ])
        func wrongUsageHasItsStatusAndAHint(_ arguments: [String]) async throws {
            let result = try await folder.start(arguments).result()
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.words.hasPrefix("quire: "))
            #expect(result.words.hasSuffix("--help)\n"))
            #expect(result.words.split(separator: "\n").count == 1)
            #expect(try folder.names == [])
        }

        @Test func messagesNameTheValueAndTheRange() async throws {
            let level = try await folder.quire("pack", "--level", "13", "a")
            #expect(
                level.words
                    == "quire: pack: --level is 13, allowed are 1...\(Codec.levels.upperBound) (see quire pack --help)\n"
            )
            let size = try await folder.quire("pack", "--block-size", "1", "a")
            #expect(size.words.contains("--block-size is 1, allowed are 512...1048576"))
        }

        @Test func twoDashesEndTheOptions() async throws {
            try folder.write(ToolSample.lines(3000), to: "--force")
            #expect(try await folder.quire("pack", "--", "--force").status == 0)
            #expect(try folder.names == ["--force", "--force.gz"])
            let result = try await folder.quire("cat", "--length", "4", "--", "--force.gz")
            #expect(result.text == "line")
        }

        @Test func theLastOfAnOptionWins() async throws {
            let result = try await folder.quire("cat", "--length", "x", "--length", "1", "none")
            #expect(result.status == 1)
        }

        @Test func helpSurvivesAClosedPipe() async throws {
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let run = try folder.start(["help"], output: pipe.fileHandleForWriting)
            let result = try await run.result()
            #expect(result.status == 128 + SIGPIPE)
            #expect(result.words == "")
        }

        /// A combining character makes one with the slash before it.
        @Test func namesMayBeginWithACombiningCharacter() async throws {
            let folder = try ToolFolder()
            let name = "\u{301}x.pdf"
            try folder.write(ToolSample.noise(9000), to: name)
            let path = folder.url.path + "/" + name
            for arguments in [
                ["pack", name], ["append", path + ".gz", path], ["compact", name + ".gz"],
                ["repair", path + ".gz"], ["rollback", name + ".gz", "3"],
            ] {
                let result = try await folder.start(arguments, input: .data(Data())).result()
                #expect(result.status == 0, "\(arguments): \(result.words)")
            }
        }

        @Test func tooFewDescriptorsAreOneLine() throws {
            let tool = try ToolFolder.executable().path
            let result = try run("sh", "-c", "ulimit -n 6; exec \"$0\" --version", tool)
            #expect(result.status == 1)
            #expect(result.errors == "quire: this process may open 6 files, 10 are needed\n")
        }
    }
}
