import Foundation

/// Records traces where they are missing, by pdfium-bench, which lies beside this program.
struct Recorder {
    private let tool: Tool
    private let folder = Corpus.build.appending(path: "traces")

    /// Nil if pdfium-bench was not built.
    init?() {
        guard let tool = Self.pdfium else { return nil }
        self.tool = tool
    }

    /// The program that runs PDFium.
    static var pdfium: Tool? {
        let url = Bundle.main.executableURL?.resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "pdfium-bench")
        guard let url, FileManager.default.isExecutableFile(atPath: url.path) else { return nil }
        return Tool(at: url)
    }

    /// The trace of a session; nil if PDFium cannot open the document.
    func trace(_ session: Trace.Session, of document: Document) throws -> [Read]? {
        // Documents of one name are told apart by their size.
        let stem = folder.appending(path: "\(document.data.count)-\(document.name)").path
        let url = URL(filePath: "\(stem).\(session.rawValue)")
        let refusal = URL(filePath: stem + ".refused")
        let exists = { (url: URL) in FileManager.default.fileExists(atPath: url.path) }
        if exists(refusal) { return nil }
        if !exists(url) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            guard try tool.status(["record", document.url.path, stem]) == 0 else {
                try Data().write(to: refusal)
                return nil
            }
        }
        return try Trace.load(url, of: document)
    }
}
