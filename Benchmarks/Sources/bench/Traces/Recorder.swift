import Foundation

/// Records traces where they are missing, by pdfium-bench, which lies beside this program.
struct Recorder {
    /// The program that runs PDFium.
    let tool: Tool
    private let folder = Corpus.build.appending(path: "traces")

    /// Nil if PDFium is not here.
    init?() {
        let url = Bundle.main.executableURL?.resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "pdfium-bench")
        guard let url, FileManager.default.isExecutableFile(atPath: url.path) else { return nil }
        tool = Tool(at: url)
        guard (try? tool.status(["check"])) == 0 else { return nil }
    }

    /// The trace of a session; nil if PDFium cannot open the document.
    func trace(_ session: Trace.Session, of document: Document) throws -> Trace? {
        // Documents of one name are told apart by their size.
        let stem = folder.appending(path: "\(document.data.count)-\(document.name)").path
        let url = URL(filePath: "\(stem).\(session.rawValue)")
        let refusal = URL(filePath: stem + ".refused")
        if FileManager.default.fileExists(atPath: refusal.path) { return nil }
        // One that was recorded by an earlier version is recorded anew.
        if let trace = try? Trace(url, of: document) { return trace }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard try tool.status(["record", document.url.path, stem]) == 0 else {
            try Data().write(to: refusal)
            return nil
        }
        return try Trace(url, of: document)
    }
}
