import Foundation

/// Real PDFs that are not part of the project, where they are there: in `$QUIRE_CORPUS`, or in a folder beside it.
enum Corpus {
    static let folder = place("QUIRE_CORPUS", "corpus")
    static let savesFolder = place("QUIRE_SAVES", "saves")
    static let documents = names(in: folder) { $0.hasSuffix(".pdf") }
    static let chains = names(in: savesFolder) { !$0.contains(".") }
    static let isThere = !documents.isEmpty
    static let hasSaves = !chains.isEmpty

    static func document(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    /// A base document and the bytes that each save appended.
    static func chain(_ name: String) throws -> [Data] {
        let folder = savesFolder.appendingPathComponent(name)
        return try (0...10).map { step in
            let file = step == 0 ? "base.pdf" : "appended-\(step).bin"
            return try Data(contentsOf: folder.appendingPathComponent(file))
        }
    }

    static func place(_ variable: String, _ name: String) -> URL {
        if let path = ProcessInfo.processInfo.environment[variable] {
            return URL(fileURLWithPath: path)
        }
        return FormatTests.root.appendingPathComponent("../shared/\(name)").standardizedFileURL
    }

    private static func names(in folder: URL, _ isIncluded: (String) -> Bool) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter(isIncluded).sorted()
    }
}
