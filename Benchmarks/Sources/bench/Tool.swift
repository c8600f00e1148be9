import Dispatch
import Foundation

/// A program on this machine that ours is compared with.
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
        self.name = name
        url = URL(filePath: path)
    }

    /// Runs it over the files, in one process, and throws away what it writes.
    func run(_ arguments: [String], _ files: [URL]) throws {
        let process = Process()
        try start(process, arguments, files, output: FileHandle.nullDevice)()
    }

    /// How much it writes.
    func outputSize(_ arguments: [String], _ files: [URL]) throws -> Int {
        let (process, pipe) = (Process(), Pipe())
        let finish = try start(process, arguments, files, output: pipe)
        var count = 0
        while let part = try pipe.fileHandleForReading.read(upToCount: 1 << 20), !part.isEmpty {
            count += part.count
        }
        try finish()
        return count
    }

    /// - Returns: what waits for its end.
    private func start(_ process: Process, _ arguments: [String], _ files: [URL], output: Any)
        throws -> () throws -> Void
    {
        // waitUntilExit() looks only every 50 ms.
        let ended = DispatchSemaphore(value: 0)
        process.executableURL = url
        process.arguments = arguments + files.map(\.path)
        process.standardOutput = output
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        return {
            ended.wait()
            guard process.terminationStatus == 0 else {
                throw BenchError("\(name) ended with \(process.terminationStatus)")
            }
        }
    }
}
