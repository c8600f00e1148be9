import Foundation
import Quire

/// What is read at random.
protocol Source: Sendable {
    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws
}

extension FileDataProvider: Source {}
extension CompressedDataProvider: Source {}

/// A way to keep a document and to read it: the plain file, a store, a peer's file.
protocol Way: Sendable {
    /// What tables and `--ways` call it.
    var name: String { get }
    /// Names what `pack` makes: ways with one form read one file. Nil: they read the document itself.
    var form: String? { get }
    /// What a reader of the numbers has to know about their fairness.
    var remark: String? { get }
    /// Whether threads share one source; otherwise each opens its own, with its share of the cache.
    var isShared: Bool { get }
    /// Whether a replay takes seconds: neither two threads nor long workloads are waited for.
    var isSlow: Bool { get }
    /// Whether it is read as another way is, from smaller files: it has a place on the frontier, and no other.
    var differsInSizeAlone: Bool { get }
    /// Whether `pack` is a time worth telling.
    var packsFairly: Bool { get }

    /// Makes the file that is read, and a file with `.index` behind its name if the index is one of its own.
    func pack(_ document: URL, to packed: URL) throws
    /// Packs for the clock, where that differs: what it writes is thrown away.
    func packOnly(_ document: URL, to scratch: URL) throws
    /// Opens the file with nothing cached.
    func open(_ url: URL, cacheByteBudget: Int) throws -> any Source
}

extension Way {
    var form: String? { nil }
    var remark: String? { nil }
    var isShared: Bool { true }
    var isSlow: Bool { false }
    var differsInSizeAlone: Bool { false }
    var packsFairly: Bool { form != nil }
    func pack(_ document: URL, to packed: URL) throws {}
    func packOnly(_ document: URL, to scratch: URL) throws { try pack(document, to: scratch) }
}

/// The packed forms of documents, each made once.
final class Shelf {
    let folder: URL
    private var names: [String: String] = [:]

    init(in folder: URL) { self.folder = folder }

    /// The file by which `way` reads `document`.
    func url(of document: Document, for way: any Way) throws -> URL {
        guard let form = way.form else { return document.url }
        let key = form + " " + document.url.path
        let name = names[key] ?? "\(names.count).pdf.gz"
        let url = folder.appending(path: name)
        if names[key] == nil {
            try way.pack(document.url, to: url)
            names[key] = name
        }
        return url
    }

    /// Bytes of the document's form, with its index.
    func storedSize(of document: Document, for way: any Way) throws -> Int {
        let url = try url(of: document, for: way)
        return [url, url.appendingPathExtension("index")].reduce(0) { sum, url in
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}
