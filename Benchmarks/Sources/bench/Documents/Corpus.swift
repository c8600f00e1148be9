import Foundation

/// A PDF that is measured.
struct Document: Sendable {
    let name: String
    let url: URL
    let data: Data

    init(_ url: URL) throws {
        name = url.lastPathComponent
        self.url = url
        data = try Data(contentsOf: url, options: .alwaysMapped)
        guard !data.isEmpty else { throw BenchError("\(name) is empty") }
    }
}

/// Documents whose times are added up.
struct Collection: Sendable {
    enum Kind: String, CaseIterable, Codable {
        case asTheyAre, uncompressed

        var title: String {
            self == .asTheyAre ? "PDFs as they are" : "PDFs with uncompressed streams"
        }
    }

    let kind: Kind
    let documents: [Document]
    /// What had to be left out.
    let missing: [String]

    var byteCount: Int { documents.reduce(0) { $0 + $1.data.count } }
}

enum Corpus {
    /// The folder of the package, found from this file on.
    static let package = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
    /// Where everything goes that is made and not committed.
    static let build = package.appending(path: ".build")

    /// The files meant by `paths`: of a folder those over 64 KiB, of nothing at all those of the corpus or the fixtures.
    static func files(_ paths: [String]) throws -> [URL] {
        if !paths.isEmpty { return try paths.flatMap { try files(at: URL(filePath: $0)) } }
        if let corpus = ProcessInfo.processInfo.environment["QUIRE_CORPUS"] {
            return try files(at: URL(filePath: corpus))
        }
        return try pdfs(in: package.appending(path: "Tests/Fixtures/pdf"))
    }

    /// The documents, and the same ones with their streams uncompressed, as far as qpdf can.
    ///
    /// - Parameter limit: bytes; raster images grow a hundredfold, and would be all that a sum is of.
    static func collection(_ kind: Collection.Kind, of files: [URL], limit: Int) throws
        -> Collection
    {
        if kind == .asTheyAre {
            return Collection(kind: kind, documents: try files.map(Document.init), missing: [])
        }
        guard let qpdf = Tool("qpdf") else {
            return Collection(
                kind: kind, documents: [], missing: ["qpdf is not installed (apt-get install qpdf)"]
            )
        }
        let folder = build.appending(path: "uncompressed")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var (documents, refused): ([Document], [String]) = ([], [])
        for file in files {
            // A name from two folders is told apart by its size.
            let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            let copy = folder.appending(path: "\(size)-\(file.lastPathComponent)")
            if !FileManager.default.fileExists(atPath: copy.path) {
                let new = copy.appendingPathExtension("new")
                // 3 means that it warned and has written all the same.
                let arguments = ["--stream-data=uncompress", "--decode-level=generalized"]
                guard try [0, 3].contains(qpdf.status(arguments + [file.path, new.path])) else {
                    refused.append("\(file.lastPathComponent): qpdf refuses it")
                    continue
                }
                try FileManager.default.moveItem(at: new, to: copy)
            }
            let document = try Document(copy)
            if document.data.count <= limit {
                documents.append(document)
            } else {
                let size = document.data.count / 1_000_000
                refused.append("\(file.lastPathComponent): \(size) MB uncompressed")
            }
        }
        return Collection(
            kind: kind, documents: documents, missing: refused)
    }

    private static func files(at url: URL) throws -> [URL] {
        let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
        guard isFolder else { return [url] }
        return try pdfs(in: url).filter {
            try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 > 65_536
        }
    }

    private static func pdfs(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "pdf" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
