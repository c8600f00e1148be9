import Foundation
import Quire

/// A store in a file, opened.
struct StoreFile {
    /// As the user named it.
    let name: String
    let status: FileStatus
    let provider: CompressedDataProvider

    /// - Throws: an error that names the file.
    init(_ name: String, configuration: CompressedDataProvider.Configuration = .init()) throws {
        status = try Self.status(of: name)
        self.name = name
        provider = try CompressedDataProvider(
            url: FileStatus.url(of: name), configuration: configuration)
    }

    /// What the system says of a file that is to be read as a store.
    static func status(of name: String) throws -> FileStatus {
        guard let status = try FileStatus(path: name) else {
            throw ToolError.system(ENOENT, name)
        }
        switch status.kind {
        case .directory: throw ToolError(line: "\(name): is a directory")
        case .other:
            throw ToolError(line: "\(name): a store must be a file: it is read by position")
        case .regular: return status
        }
    }

    /// Says on standard error what is not as it should be, though the document can be read.
    func tellCondition() throws {
        for note in Self.notes(on: try provider.info()) { Console.say("\(name): \(note)") }
    }

    /// What is not as it should be, a line for each.
    static func notes(on info: StoreInfo) -> [String] {
        var notes: [String] = []
        if info.isRebuilt {
            notes.append("the index or footer is damaged; it was rebuilt from the blocks")
        }
        if info.tornByteCount > 0, !info.isRebuilt {
            notes.append(
                "\(Amount.exact(info.tornByteCount)) of a torn append follow revision \(info.revision); they are ignored"
            )
        }
        return notes
    }
}
