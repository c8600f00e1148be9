import Dispatch
import Foundation

/// A program on this machine.
struct Tool {
    let name: String
    private let url: URL

    /// Nil if it is not installed.
    init?(_ name: String) {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let paths = folders.map { "\($0)/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
            return nil
        }
        self.init(at: URL(filePath: path))
    }

    init(at url: URL) {
        name = url.lastPathComponent
        self.url = url
    }

    /// Runs it over the files, in one process, and throws away what it writes.
    func run(_ arguments: [String], _ files: [URL] = []) throws {
        let status = try status(arguments + files.map(\.path))
        guard status == 0 else { throw BenchError("\(name) ended with \(status)") }
    }

    /// Runs it silently.
    func status(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.standardError = FileHandle.nullDevice
        return try start(process, arguments, output: FileHandle.nullDevice)()
    }

    /// What it writes, if it ends well.
    func output(_ arguments: [String]) throws -> Data {
        var output = Data()
        try read(arguments) { output.append($0) }
        return output
    }

    /// How much it writes.
    func outputSize(_ arguments: [String], _ files: [URL]) throws -> Int {
        var count = 0
        try read(arguments + files.map(\.path)) { count += $0.count }
        return count
    }

    private func read(_ arguments: [String], _ body: (Data) -> Void) throws {
        let (process, pipe) = (Process(), Pipe())
        let finish = try start(process, arguments, output: pipe)
        while let part = try pipe.fileHandleForReading.read(upToCount: 1 << 20), !part.isEmpty {
            body(part)
        }
        let status = finish()
        guard status == 0 else { throw BenchError("\(name) ended with \(status)") }
    }

    /// - Returns: what waits for its end.
    private func start(_ process: Process, _ arguments: [String], output: Any) throws
        -> () -> Int32
    {
        // waitUntilExit() looks only every 50 ms.
        let ended = DispatchSemaphore(value: 0)
        process.executableURL = url
        // Where pdfium-bench looks for PDFium, whatever folder the benchmark was started in.
        process.currentDirectoryURL = Corpus.package
        process.arguments = arguments
        process.standardOutput = output
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        return {
            ended.wait()
            return process.terminationStatus
        }
    }
}
