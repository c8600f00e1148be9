import Foundation

/// A folder of a test's own, removed with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("quire-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Makes a file of these bytes.
    func file(_ name: String, _ contents: Data) throws -> URL {
        let url = file(name)
        try contents.write(to: url)
        return url
    }

    /// Names of everything in it, hidden files included.
    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
    }

    /// One folder for all the files of a suite's parameterised tests.
    static let shared = try? TemporaryFolder()

    /// A file name that no other test has.
    static func uniqueFile(_ name: String) throws -> URL {
        let folder = try shared ?? TemporaryFolder()
        let own = folder.file(UUID().uuidString)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        return own.appendingPathComponent(name)
    }
}
