import Foundation
import QuireTesting

@testable import Quire

/// A save that `TestHelper save` makes, with what is there before it and what is there after it.
struct SaveCase: Sendable, CustomStringConvertible {
    enum Form: String { case store, new, plain }

    /// What is done; the helper knows it by this name.
    enum Kind: String { case append, replace, compact, rollBack, repair }

    let description: String
    let form: Form
    let kind: Kind
    let size: Int
    /// A torn tail behind the store, and a temporary of a writer that was killed beside it.
    var isAfterCrash = false

    static let all = [
        SaveCase("append", .append, 5000),
        SaveCase("append of 1.3 MB", .append, 1_300_000),
        SaveCase("append after a crash", .append, 5000, isAfterCrash: true),
        SaveCase("replace", .replace, 9000),
        SaveCase("replace after a crash", .replace, 9000, isAfterCrash: true),
        SaveCase("create", .replace, 9000, .new),
        SaveCase("compact", .compact, 0),
        SaveCase("roll back", .rollBack, 0),
        SaveCase("repair", .repair, 0),
        SaveCase("plain append", .append, 5000, .plain),
        SaveCase("plain replace", .replace, 9000, .plain),
    ]

    private init(
        _ description: String, _ kind: Kind, _ size: Int, _ form: Form = .store,
        isAfterCrash: Bool = false
    ) {
        self.description = description
        self.form = form
        self.kind = kind
        self.size = size
        self.isAfterCrash = isAfterCrash
    }

    private static let name = "document"
    private static let base = TestBytes.mixed(20_000, seed: 1)
    /// The documents of the second revision, and what the third adds.
    private static let second = base + Data("1".utf8)
    private static let third = TestBytes.mixed(3000, seed: 3)
    /// A store of three revisions, and where the second ends.
    private static let stored = Result {
        let second = try store(base, appends: [Data("1".utf8)]).count
        return (bytes: try store(base, appends: [Data("1".utf8), third]), second: second)
    }

    /// The document before the save; nil if there is none.
    var old: Data? {
        switch (form, kind) {
        case (.new, _): nil
        case (.plain, _): Self.base
        case (_, .compact), (_, .rollBack), (_, .repair): Self.second + Self.third
        default: Self.second
        }
    }

    /// The document after it.
    var new: Data {
        let bytes = SaveScript.bytes(size, seed: 7)
        return switch kind {
        case .append: (old ?? Data()) + bytes
        case .replace: bytes
        case .rollBack: Self.second
        case .compact, .repair: Self.second + Self.third
        }
    }

    /// Where the document lies.
    func url(in folder: URL) -> URL { folder.appending(path: Self.name) }

    /// Makes what is there before; the arguments of the helper.
    func prepare(in folder: URL) throws -> [String] {
        let url = url(in: folder)
        if form == .plain { try Self.base.write(to: url) }
        if form == .store {
            let (stored, second) = try Self.stored.get()
            var bytes = stored
            switch kind {
            case .append, .replace: bytes = isAfterCrash ? bytes.dropLast(10) : bytes[..<second]
            case .compact, .rollBack: break
            case .repair: bytes[bytes.count - Footer.memberSize - 20] ^= 1  // in the index
            }
            try bytes.write(to: url)
        }
        if isAfterCrash {
            let stale = ".\(Self.name).0123456789abcdef\(TemporaryFile.suffix)"
            try Data("half".utf8).write(to: folder.appending(path: stale))
        }
        return [
            "save", form.rawValue, url.path, kind.rawValue, "\(size)", "7",
        ]
    }

    /// What the document in the folder is: "old" or "new", or what is wrong with it.
    ///
    /// - Parameter mayBePartial: whether a part of what is appended to a plain file may be there, as DESIGN.md says of a crash.
    func state(in folder: URL, mayBePartial: Bool) -> (document: Data?, state: String) {
        do {
            let found = try document(in: folder)
            if old == new, found == old { return (found, try isDone(in: folder) ? "new" : "old") }
            if found == old { return (found, "old") }
            if found == new { return (found, "new") }
            if mayBePartial, form == .plain, kind == .append, let found, new.starts(with: found) {
                return (found, "partial")
            }
            return (found, "neither old nor new, but \(found?.count ?? 0) bytes")
        } catch { return (nil, "cannot be read: \(error)") }
    }

    /// Appends once more and looks whether that is all that is there.
    func faultAfterNextSave(in folder: URL, of document: Data?) -> String? {
        do {
            let url = url(in: folder)
            let isPlain = form == .plain || document == nil
            let provider: any DataProviding =
                try isPlain ? FileDataProvider(fileURL: url) : CompressedDataProvider(url: url)
            try provider.save(.append, Data("more".utf8))
            let expected = (document ?? Data()) + Data("more".utf8)
            let isThere = try document == nil || self.document(in: folder) == expected
            guard try isThere && provider.data() == expected else {
                return "the next append is not all there"
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return names == [Self.name] ? nil : "the next append leaves \(names)"
        } catch { return "the next append fails: \(error)" }
    }

    /// Of what leaves the document as it is: whether it was done.
    private func isDone(in folder: URL) throws -> Bool {
        let provider = try CompressedDataProvider(url: url(in: folder))
        return try kind == .repair ? provider.verify().isEmpty : provider.history().count == 1
    }

    private func document(in folder: URL) throws -> Data? {
        let url = url(in: folder)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        if form == .plain { return try Data(contentsOf: url) }
        return try CompressedDataProvider(url: url).data()
    }

    /// The names of the calls that the save makes on files of its folder, when nothing goes wrong.
    func calls() throws -> [FileCall] {
        let folder = try TemporaryFolder()
        let (documents, calls) = (folder.file("documents"), folder.file("calls"))
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        let helper = try Helper(
            prepare(in: documents),
            environment: Interposer.environment(documents, calls: calls))
        guard try helper.end().status == 0, state(in: documents, mayBePartial: false).state == "new"
        else { throw CocoaError(.fileWriteUnknown) }
        return try FileFaultInjector.calls(in: calls)
    }
}
