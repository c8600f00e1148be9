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
        guard let status = try FileStatus(path: name) else {
            throw ToolError.system(ENOENT, name)
        }
        switch status.kind {
        case .directory: throw ToolError(line: "\(name): is a directory")
        case .other:
            throw ToolError(line: "\(name): a store must be a file: it is read by position")
        case .regular: break
        }
        self.name = name
        self.status = status
        provider = try CompressedDataProvider(
            url: FileStatus.url(of: name), configuration: configuration)
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
