import Foundation

/// The process that does what tests let another process do.
final class Helper {
    static let executable = Result { try ToolFolder.executable("TestHelper") }

    let process = Process()
    private let output = Pipe()
    private let file: URL?
    private let input = Pipe()

    /// Starts it.
    ///
    /// - Parameter file: gets the output, if that is more than a pipe holds and is not read meanwhile.
    init(
        _ arguments: [String], environment: [String: String] = [:], output file: URL? = nil
    ) throws {
        self.file = file
        process.executableURL = try Self.executable.get()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        if let file {
            try Data().write(to: file)
            process.standardOutput = try FileHandle(forWritingTo: file)
        }
        process.standardInput = input
        try process.run()
    }

    /// Hands it a line of input.
    func tell(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Waits for one line of its output; nil if it has ended.
    func line() throws -> String? {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte == Data("\n".utf8) { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Waits for its end: the lines that are left, and whether it ended by itself with which status.
    func end() throws -> (lines: [String], status: Int32?) {
        try input.fileHandleForWriting.close()
        var said = Data()
        if file == nil { said = try output.fileHandleForReading.readToEnd() ?? Data() }
        process.waitUntilExit()
        if let file { said = try Data(contentsOf: file) }
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
        let isExit = process.terminationReason == .exit
        return (lines, isExit ? process.terminationStatus : nil)
    }

    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }
}
