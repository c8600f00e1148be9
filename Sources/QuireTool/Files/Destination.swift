import Foundation
import Quire

/// Where a command puts what it makes.
struct Destination {
    /// As the user named it; `-` is standard output.
    let name: String
    /// Whether a file that is there is replaced.
    let isForced: Bool

    /// Makes the sink. A file appears or changes in one step, when the sink is finished; nothing is left of one that is dropped.
    ///
    /// - Parameters:
    ///   - source: what it is made from; it must be another file, and a new file is no more open to others than it.
    ///   - isCompressed: whether a terminal could not show it.
    func makeSink(from source: FileStatus, isCompressed: Bool) throws -> any DataSink {
        guard name != "-" else {
            let output = try ByteStream.standardOutput
            guard !isCompressed || !output.isTerminal else {
                throw ToolError(
                    line: "compressed data is not written to a terminal; give -o FILE, or a pipe")
            }
            try check(output.status, isNot: source)
            return StreamSink(output)
        }
        let present = try FileStatus(path: name)
        if let present {
            try check(present, isNot: source)
            switch present.kind {
            case .directory: throw ToolError(line: "\(name): is a directory")
            case .other: return StreamSink(try ByteStream(writing: name))
            case .regular: guard isForced else { throw exists }
            }
        }
        Interruption.watch()
        let sink = try makeFileSink(
            lacking: source.kind == .regular ? ~source.permissions & 0o077 : 0)
        // The sink guards what it found. Was that made after we looked?
        guard try present != nil || FileStatus(path: name) == nil else { throw exists }
        return sink
    }

    private var exists: ToolError {
        ToolError(line: "\(name): exists; --force replaces it")
    }

    private func check(_ output: FileStatus, isNot source: FileStatus) throws {
        if output.isSameFile(as: source) {
            let name = name == "-" ? "standard output" : name
            throw ToolError(line: "\(name): the output is the input")
        }
    }

    /// - Parameter mask: the permissions that a new file lacks, besides those of the umask.
    private func makeFileSink(lacking mask: mode_t) throws -> FileDataSink {
        let before = umask(0o777)
        umask(before | mask)
        defer { umask(before) }
        do { return try FileDataSink(fileURL: FileStatus.url(of: name)) } catch let error
            as QuireError
        {
            // The library names its temporary file, of which the user knows nothing.
            guard let code = (error.underlying as? POSIXError)?.code else { throw error }
            throw ToolError.system(code.rawValue, name)
        }
    }
}
