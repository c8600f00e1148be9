import Foundation
import Quire

/// How the tool ends, as its help promises.
struct ExitStatus: Comparable {
    let code: Int32

    static let ok = ExitStatus(code: 0)
    static let failed = ExitStatus(code: 1)
    static let usage = ExitStatus(code: 2)
    static let damaged = ExitStatus(code: 3)

    static func < (one: ExitStatus, other: ExitStatus) -> Bool { one.code < other.code }
}

/// One line that says what is wrong and where, and the status to end with.
struct ToolError: Error {
    let line: String
    let status: ExitStatus

    init(line: String, status: ExitStatus = .failed) {
        self.line = line
        self.status = status
    }

    /// - Parameter file: what was worked on, as it was named on the command line.
    init(_ error: any Error, in file: String?) {
        if let error = error as? ToolError {
            self = error
            return
        }
        let subject = file.map { "\($0): " } ?? ""
        guard let error = error as? QuireError else {
            self.init(line: subject + error.localizedDescription)
            return
        }
        self.init(
            line: error.namesItsFile ? error.description : subject + error.description,
            status: error.isDamage ? .damaged : .failed)
    }

    /// A system call on `file` failed; `code` is its errno.
    static func system(_ code: Int32, _ file: String) -> ToolError {
        let reason = unsafe String(cString: strerror(code))
        return ToolError(line: "\(file): " + reason.prefix(1).lowercased() + reason.dropFirst())
    }
}

extension QuireError {
    /// Whether the path of the file is in the message.
    fileprivate var namesItsFile: Bool {
        switch code {
        case .fileNotFound, .fileSystem, .conflict: true
        default: false
        }
    }
}
