import Foundation
import Testing

extension ToolTests {
    @Suite struct TerminalTests {
        let folder: ToolFolder

        init() throws { folder = try ToolFolder() }

        @Test func compressedDataIsNotWrittenToATerminal() async throws {
            try folder.write(ToolSample.lines(3000), to: "a")
            #expect(try await folder.quire("pack", "a").status == 0)
            for arguments in [["pack", "a", "-o", "-"], ["unpack", "--plain", "a.gz", "-o", "-"]] {
                let terminal = try Terminal()
                let result = try await folder.start(arguments, output: terminal.slave).result()
                #expect(result.status == 1)
                #expect(
                    result.words.hasPrefix("quire: compressed data is not written to a terminal"))
                #expect(terminal.text() == "")
            }
        }

        @Test func longWorkIsShownAndCleared() async throws {
            let terminal = try Terminal()
            let pipe = Pipe()
            let run = try folder.start(
                ["pack", "-", "-o", "a.gz"], input: .pipe(pipe), words: terminal.slave)
            for _ in 0..<2 {
                try pipe.fileHandleForWriting.write(contentsOf: ToolSample.lines(2048))
                try await Task.sleep(for: .milliseconds(1200))
            }
            try pipe.fileHandleForWriting.close()
            #expect(try await run.result().status == 0)
            let clear = "\r\u{1b}[K"
            #expect(terminal.text() == clear + "packing standard input: 4 KiB" + clear)
        }

        @Test func shortWorkIsNotShown() async throws {
            let terminal = try Terminal()
            try folder.write(ToolSample.lines(3000), to: "a")
            #expect(
                try await folder.start(["pack", "a"], words: terminal.slave).result().status == 0)
            #expect(terminal.text() == "")
        }
    }
}

/// A pseudo-terminal: what is written to `slave` is a terminal's text.
private struct Terminal {
    let slave: FileHandle
    private let master: FileHandle

    init() throws {
        var (number, other): (Int32, Int32) = (-1, -1)
        // SAFETY: both are written during the call; the rest may be null.
        let status = unsafe openpty(&number, &other, nil, nil, nil)
        try #require(status == 0)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        master = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        slave = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    }

    /// What has been written so far.
    func text() -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        // SAFETY: read writes at most the array's count.
        let count = unsafe read(master.fileDescriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
