import Foundation
import Quire

/// A PDF, and the store of it that set-up has packed.
struct Document {
    let name: String
    let url: URL
    let storeURL: URL
    let data: Data
    let storeSize: Int

    /// Packs the document into `folder`, and reads it back.
    init(_ url: URL, number: Int, scratch folder: URL) throws {
        name = url.lastPathComponent
        self.url = url
        storeURL = folder.appending(path: "\(number).pdf.gz")
        data = try Data(contentsOf: url)
        guard !data.isEmpty else { throw BenchError("\(name) is empty") }
        try pack(url, into: FileDataSink(fileURL: storeURL))
        let store = try CompressedDataProvider(url: storeURL)
        guard try store.data() == data else { throw BenchError("\(name): the store is wrong") }
        storeSize = Int(try store.info().storedSize)
    }
}

enum Corpus {
    /// The fixtures of the tests, found from this file on.
    static let fixtures = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Tests/Fixtures/pdf")

    /// The files meant by `paths`: of a folder those over 64 KiB, of nothing at all those of the corpus or the fixtures.
    static func files(_ paths: [String]) throws -> [URL] {
        if !paths.isEmpty { return try paths.flatMap { try files(at: URL(filePath: $0)) } }
        if let corpus = ProcessInfo.processInfo.environment["QUIRE_CORPUS"] {
            return try files(at: URL(filePath: corpus))
        }
        return try pdfs(in: fixtures)
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
