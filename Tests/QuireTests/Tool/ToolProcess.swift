import Foundation
import Testing

/// The tool as a process, one test at a time: some wait for what another process has done by then.
@Suite(.serialized) struct ToolTests {}

/// What a process left behind.
struct ToolResult: Sendable {
    let status: Int32
    let output: Data
    /// Standard error.
    let words: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Standard output as JSON.
    var json: Any { get throws { try JSONSerialization.jsonObject(with: output) } }
}

/// A temporary folder in which the built tool is run; gone with the last reference.
final class ToolFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "quire-tool-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Names of everything in the folder, except what `run` puts there.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: url.path)
                .filter { !$0.hasPrefix("run-") }.sorted()
        }
    }

    subscript(name: String) -> Data {
        get throws { try Data(contentsOf: url.appending(path: name)) }
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: url.appending(path: name))
    }

    func change(_ name: String, _ body: (inout Data) throws -> Void) throws {
        var data = try self[name]
        try body(&data)
        try write(data, to: name)
    }

    func permissions(of name: String) throws -> Int? {
        let path = url.appending(path: name).path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Runs the tool to its end.
    func quire(_ arguments: String..., input: Data = Data()) async throws -> ToolResult {
        try await start(arguments, input: .data(input)).result()
    }

    func gunzip(_ name: String) async throws -> ToolResult {
        let gunzip = URL(fileURLWithPath: "/usr/bin/env")
        return try await start(["gzip", "-dc", name], executable: gunzip).result()
    }

    /// Starts the tool, or another executable; `ToolRun.result()` waits for its end.
    func start(
        _ arguments: [String], executable: URL? = nil, input: ToolRun.Input = .data(Data()),
        output: FileHandle? = nil, words: FileHandle? = nil
    ) throws -> ToolRun {
        try ToolRun(
            executable ?? Self.executable(), arguments, in: url, input: input, output: output,
            words: words)
    }

    /// The tool, or another program, in the build products, which also hold the tests that run.
    static func executable(_ name: String = "quire") throws -> URL {
        let places = CommandLine.arguments + Bundle.allBundles.map(\.bundlePath)
        for place in places where place.hasPrefix("/") {
            var folder = URL(fileURLWithPath: place)
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let tool = folder.appending(path: name).path
                let kind = try? FileManager.default.attributesOfItem(atPath: tool)[.type]
                if kind as? FileAttributeType == .typeRegular { return URL(fileURLWithPath: tool) }
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

/// A process that was started. Its outputs go to files, so that none is ever full.
final class ToolRun {
    enum Input {
        case data(Data)
        case pipe(Pipe)
    }

    let process = Process()
    private let outputURL: URL
    private let wordsURL: URL
    private let ended: AsyncStream<Void>

    init(
        _ executable: URL, _ arguments: [String], in folder: URL, input: Input, output: FileHandle?,
        words: FileHandle?
    ) throws {
        let id = "run-\(UUID())"
        outputURL = folder.appending(path: id + "-output")
        wordsURL = folder.appending(path: id + "-words")
        try Data().write(to: outputURL)
        try Data().write(to: wordsURL)
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var handles: [FileHandle] = []
        func open(_ handle: FileHandle) -> FileHandle {
            handles.append(handle)
            return handle
        }
        process.standardOutput = try output ?? open(FileHandle(forWritingTo: outputURL))
        process.standardError = try words ?? open(FileHandle(forWritingTo: wordsURL))
        switch input {
        case .data(let data):
            let url = folder.appending(path: id + "-input")
            try data.write(to: url)
            process.standardInput = try open(FileHandle(forReadingFrom: url))
        case .pipe(let pipe): process.standardInput = pipe
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        ended = stream
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for handle in handles { try handle.close() }
    }

    func result() async throws -> ToolResult {
        for await _ in ended {}
        let status = process.terminationStatus
        return ToolResult(
            status: process.terminationReason == .exit ? status : 128 + status,
            output: try Data(contentsOf: outputURL),
            words: String(decoding: try Data(contentsOf: wordsURL), as: UTF8.self))
    }
}

/// Documents for the tests.
enum ToolSample {
    static func fixture(_ name: String, from file: String = #filePath) throws -> Data {
        let tests = URL(fileURLWithPath: file).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "Fixtures/pdf/\(name)"))
    }

    /// Bytes that deflate shrinks, different at every offset.
    static func lines(_ byteCount: Int) -> Data {
        var text = ""
        var number = 0
        while text.utf8.count < byteCount {
            text += "line \(number) of a document that shrinks\n"
            number += 1
        }
        return Data(text.utf8.prefix(byteCount))
    }

    /// Bytes that nothing shrinks, the same at every run.
    static func noise(_ byteCount: Int) -> Data {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        return Data(
            (0..<byteCount).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            })
    }
}
