import Foundation

/// What a program printed and how it ended.
struct ShellResult {
    var status: Int32
    var output: Data
    var errors: String
}

/// Runs a program found in PATH with `input` as its standard input.
func run(_ command: String..., input: Data = Data()) throws -> ShellResult {
    try run(command, input: input)
}

/// The same, with the program and its arguments in a list.
func run(_ command: [String], input: Data = Data()) throws -> ShellResult {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = try FileHandle(forReadingFrom: folder.file("input", input))
    let (output, errors) = (try folder.file("output", Data()), try folder.file("errors", Data()))
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return ShellResult(
        status: process.terminationStatus, output: try Data(contentsOf: output),
        errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
}

/// What `gunzip` makes of these bytes; nil if it complains.
func gunzip(_ stored: Data) throws -> Data? {
    let result = try run("gzip", "-dc", input: stored)
    return result.status == 0 && result.errors.isEmpty ? result.output : nil
}

/// Whether a program is there.
func hasProgram(_ name: String) -> Bool { (try? run("which", name).status) == 0 }
