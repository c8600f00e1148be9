import Foundation
import Testing

extension ToolTests {
    @Suite struct PackTests {
        let folder: ToolFolder

        init() throws { folder = try ToolFolder() }

        @Test(arguments: ["form.pdf", "images.pdf", "saved.pdf", "text.pdf", "uncompressed.pdf"])
        func gunzipGivesTheFileBack(_ name: String) async throws {
            let document = try ToolSample.fixture(name)
            try folder.write(document, to: name)
            let packed = try await folder.quire("pack", name)
            #expect(packed.status == 0)
            #expect(packed.output.isEmpty)
            #expect(packed.words == "")
            #expect(try folder.names == [name, "\(name).gz"])
            #expect(try await folder.gunzip("\(name).gz").output == document)
        }

        @Test(arguments: [0, 1, 511, 512, 513, 1024, 70_000])
        func everySizePacks(_ size: Int) async throws {
            let document = ToolSample.lines(size)
            try folder.write(document, to: "a")
            #expect(try await folder.quire("pack", "--block-size", "512", "a").status == 0)
            #expect(try await folder.quire("cat", "a.gz").output == document)
            #expect(try await folder.gunzip("a.gz").output == document)
        }

        @Test func severalFilesPackBesideThemselves() async throws {
            for name in ["a", "b", "c d"] { try folder.write(ToolSample.lines(3000), to: name) }
            #expect(try await folder.quire("pack", "a", "b", "c d").status == 0)
            #expect(try folder.names == ["a", "a.gz", "b", "b.gz", "c d", "c d.gz"])
        }

        @Test func oneThatFailsDoesNotStopTheOthers() async throws {
            for name in ["a", "c"] { try folder.write(ToolSample.lines(3000), to: name) }
            let result = try await folder.quire("pack", "a", "b", "c")
            #expect(result.status == 1)
            #expect(result.words == "quire: b: no such file or directory\n")
            #expect(try folder.names == ["a", "a.gz", "c", "c.gz"])
        }

        @Test func standardInputGoesToStandardOutput() async throws {
            let document = ToolSample.lines(200_000)
            let result = try await folder.quire("pack", "-", "-o", "-", input: document)
            #expect(result.status == 0)
            #expect(result.output.count < document.count)
            #expect(try folder.names == [])
            try folder.write(result.output, to: "a.gz")
            #expect(try await folder.quire("verify", "a.gz").status == 0)
            #expect(try await folder.gunzip("a.gz").output == document)
        }

        @Test func theFavorIsAChoice() async throws {
            let document = try ToolSample.fixture("images.pdf") + ToolSample.fixture("text.pdf")
            try folder.write(document, to: "a")
            var sizes: [Int] = []
            for favor in ["size", "balanced", "speed"] {
                #expect(try await folder.quire("pack", "-f", "--favor", favor, "a").status == 0)
                #expect(try await folder.quire("cat", "a.gz").output == document)
                let stored = try Data(contentsOf: folder.url.appendingPathComponent("a.gz"))
                sizes.append(stored.count)
            }
            #expect(sizes[0] <= sizes[1] && sizes[1] <= sizes[2])
            let result = try await folder.quire("pack", "--favor", "beauty", "a")
            #expect(result.status == 2 && result.words.contains("size, balanced and speed"))
        }

        @Test func aNameIsWhatTheKernelTakesItFor() async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            for path in ["here", "there/below"] {
                try FileManager.default.createDirectory(
                    at: folder.url.appendingPathComponent(path), withIntermediateDirectories: true)
            }
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.appendingPathComponent("here/link").path,
                withDestinationPath: "../there/below")
            try folder.write(Data("precious".utf8), to: "here/a.gz")
            #expect(try await folder.quire("pack", "a", "-o", "here/link/../a.gz").status == 0)
            #expect(try await folder.quire("cat", "there/a.gz").output == ToolSample.lines(3000))
            #expect(try await folder.quire("cat", "here/a.gz").status == 1)
        }

        @Test func aNameOfManyLinesIsShownOnOne() async throws {
            let result = try await folder.quire("pack", "a\nb")
            #expect(result.status == 1)
            #expect(result.words == "quire: a\\nb: no such file or directory\n")
        }

        @Test func standardInputNeedsAnOutput() async throws {
            let result = try await folder.quire("pack", "-")
            #expect(result.status == 2)
            #expect(result.words.contains("give -o FILE"))
        }

        @Test(arguments: [["-o", "x"], ["-ox"], ["--output", "x"], ["--output=x"]])
        func outputIsWrittenWhereItIsAsked(_ option: [String]) async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            let result = try await folder.start(["pack", "a"] + option).result()
            #expect(result.status == 0)
            #expect(try folder.names == ["a", "x"])
        }

        @Test func devicesAreWrittenAsTheyAre() async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            #expect(try await folder.quire("pack", "a", "-o", "/dev/null").status == 0)
        }

        @Test func anExistingFileStaysWithoutForce() async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            try folder.write(Data("mine".utf8), to: "a.gz")
            let result = try await folder.quire("pack", "a")
            #expect(result.status == 1)
            #expect(result.words == "quire: a.gz: exists; --force replaces it\n")
            #expect(try folder["a.gz"] == Data("mine".utf8))
            #expect(try await folder.quire("pack", "--force", "a").status == 0)
            #expect(try await folder.quire("verify", "a.gz").status == 0)
            #expect(try folder.names == ["a", "a.gz"])
        }

        @Test func aFileMadeMeanwhileStays() async throws {
            let pipe = Pipe()
            let run = try folder.start(["pack", "-", "-o", "a.gz"], input: .pipe(pipe))
            try await waitForTemporaryFile()
            try folder.write(Data("mine".utf8), to: "a.gz")
            try pipe.fileHandleForWriting.close()
            let result = try await run.result()
            #expect(result.status == 1)
            #expect(result.words.contains("a.gz was created"))
            #expect(try folder["a.gz"] == Data("mine".utf8))
            #expect(try folder.names == ["a.gz"])
        }

        @Test func theOutputIsNeverTheInput() async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.path + "/link", withDestinationPath: "a")
            for name in ["a", "link"] {
                let result = try await folder.quire("pack", "a", "-o", name, "--force")
                #expect(result.status == 1)
                #expect(result.words == "quire: \(name): the output is the input\n")
            }
            #expect(try folder["a"] == ToolSample.lines(3000))
        }

        @Test func aPrivateFileStaysPrivate() async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: folder.url.path + "/a")
            #expect(try await folder.quire("pack", "a").status == 0)
            #expect(try folder.permissions(of: "a.gz") == 0o600)
            #expect(try await folder.quire("unpack", "a.gz", "-o", "b").status == 0)
            #expect(try folder.permissions(of: "b") == 0o600)
        }

        @Test func levelsTradeTimeForSize() async throws {
            let document = try ToolSample.fixture("uncompressed.pdf")
            let fast = try await folder.quire(
                "pack", "-", "-o", "-", "--level", "1", input: document)
            let small = try await folder.quire("pack", "-", "-o", "-", "--level=9", input: document)
            #expect(small.output.count < fast.output.count)
        }

        @Test(arguments: ["4096", "4K", "4k"])
        func blockSizesHaveSuffixes(_ size: String) async throws {
            try folder.write(ToolSample.lines(10_000), to: "a")
            #expect(try await folder.quire("pack", "a", "--block-size", size).status == 0)
            let info = try await folder.quire("info", "--json", "a.gz").json as? [String: Any]
            #expect(info?["blockSize"] as? Int == 4096)
            #expect(info?["blockCount"] as? Int == 3)
        }

        @Test func foldersAreNotFiles() async throws {
            let result = try await folder.quire("pack", ".", "-o", "x")
            #expect(result.status == 1)
            #expect(result.words == "quire: .: is a directory\n")
            try folder.write(Data(), to: "a")
            let output = try await folder.quire("pack", "a", "-o", ".")
            #expect(output.status == 1)
            #expect(output.words == "quire: .: is a directory\n")
            let missing = try await folder.quire("pack", "a", "-o", "none/x")
            #expect(missing.status == 1)
            #expect(missing.words == "quire: none/x: no such file or directory\n")
        }

        @Test(.enabled(if: getuid() != 0, "root may read everything"))
        func unreadableFilesAreNamed() async throws {
            try folder.write(Data("secret".utf8), to: "a")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0], ofItemAtPath: folder.url.path + "/a")
            let result = try await folder.quire("pack", "a")
            #expect(result.status == 1)
            #expect(result.words == "quire: a: permission denied\n")
        }

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
        func aFullDiskIsNamed() async throws {
            try folder.write(ToolSample.noise(3000), to: "a")
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let result = try await folder.start(["pack", "a", "-o", "-"], output: full).result()
            #expect(result.status == 1)
            #expect(result.words == "quire: standard output: no space left on device\n")
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func aSignalLeavesNothing(_ number: Int32) async throws {
            // A signal that is ignored here would be in the tool as well.
            signal(number, SIG_DFL)
            let pipe = Pipe()
            let run = try folder.start(["pack", "-", "-o", "a.gz"], input: .pipe(pipe))
            try pipe.fileHandleForWriting.write(contentsOf: ToolSample.lines(10_000))
            try await waitForTemporaryFile()
            kill(run.process.processIdentifier, number)
            let result = try await run.result()
            #expect(result.status == 128 + number)
            #expect(result.words == "")
            #expect(try folder.names == [])
        }

        private func waitForTemporaryFile() async throws {
            for _ in 0..<1000 where try folder.names.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try folder.names.first?.hasSuffix(".quire-tmp") == true)
        }
    }
}
