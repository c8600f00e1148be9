import Foundation
import QuireTesting
import Testing

@testable import Quire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Stores in places where not all is allowed, saved by a process without the rights of root.
@Suite("Places") struct PlaceTests {
    private static let nobody = 65_534
    private let folder: TemporaryFolder
    private let documents: URL
    private let url: URL
    private let old = TestBytes.mixed(20_000)

    init() throws {
        folder = try TemporaryFolder()
        documents = folder.file("documents")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        url = documents.appending(path: "document.gz")
        try store(old).write(to: url)
        if geteuid() == 0 {
            for path in [documents.path, url.path] {
                try FileManager.default.setAttributes(
                    [.ownerAccountID: Self.nobody, .groupOwnerAccountID: Self.nobody],
                    ofItemAtPath: path)
            }
        }
    }

    @Test func inAFolderThatMayNotBeWrittenAppendsWorkAndTheRestSaysWhy() throws {
        try permit(0o555, documents)
        defer { try? permit(0o755, documents) }
        #expect(try save("append", 5000) == "saved")
        let appended = old + TestBytes.mixed(5000, seed: 7)
        #expect(try CompressedDataProvider(url: url).data() == appended)
        for (kind, size) in [("replace", 5000), ("append", 1_300_000)] {
            let words = try save(kind, size)
            #expect(words.hasPrefix("failed fileSystem 13 cannot make a temporary file beside "))
            #expect(words.hasSuffix("/document.gz: Permission denied"), "\(words)")
        }
        #expect(try CompressedDataProvider(url: url).data() == appended)
        #expect(try names() == ["document.gz"])
    }

    @Test(arguments: ["append", "replace"])
    func aStoreThatMayNotBeWrittenIsReadAndSaysSoWhenItIsSaved(kind: String) throws {
        try permit(0o444, url)
        let words = try save(kind, 5000)
        #expect(words.hasPrefix("failed fileSystem 13 cannot open for writing "), "\(words)")
        #expect(words.hasSuffix("/document.gz: Permission denied"), "\(words)")
        #expect(try CompressedDataProvider(url: url).data() == old)
        #expect(try names() == ["document.gz"])
    }

    @Test(arguments: ["append", "replace"])
    func aStoreThatMayNotBeReadIsAnErrorByName(kind: String) throws {
        try permit(0o200, url)
        let words = try save(kind, 5000)
        #expect(words.hasPrefix("failed fileSystem 13 cannot open "), "\(words)")
    }

    /// It can be searched and written, not listed, and so not be synced.
    @Test func aFolderThatMayNotBeReadIsSavedIn() throws {
        try permit(0o333, documents)
        #expect(try save("replace", 5000) == "saved")
        try permit(0o755, documents)
        #expect(try CompressedDataProvider(url: url).data() == TestBytes.mixed(5000, seed: 7))
        #expect(try names() == ["document.gz"])
    }

    @Test func aMissingFolderIsAnErrorByName() throws {
        let lost = documents.appending(path: "no/document.gz")
        #expect(code { _ = try CompressedDataProvider(url: lost) } == .fileNotFound)
        let words = try self.run(["save", "new", lost.path, "replace", "5000", "7"])
        #expect(words.hasPrefix("failed fileNotFound 2 "), "\(words)")
    }

    @Test(arguments: [0o600, 0o640, 0o604, 0o755])
    func aReplacementKeepsModeAndOwner(mode: Int) throws {
        try permit(mode, url)
        let before = try attributes()
        try CompressedDataProvider(url: url).save([], Data("new".utf8))
        let after = try attributes()
        #expect(after[0] == mode && after == before)
    }

    @Test func aLinkedStoreIsReplacedWhereItLiesAndTheLinkStays() throws {
        // A link to a link, from another folder, and by a relative path.
        let (first, second) = (folder.file("first.gz"), folder.file("second.gz"))
        try FileManager.default.createSymbolicLink(
            atPath: first.path, withDestinationPath: "documents/document.gz")
        try FileManager.default.createSymbolicLink(at: second, withDestinationURL: first)
        let provider = try CompressedDataProvider(url: second)
        try provider.save(.append, Data("tail".utf8))
        #expect(try CompressedDataProvider(url: url).data() == old + Data("tail".utf8))
        let sink = try provider.createDataSink(options: [])
        try sink.put(Data("new".utf8))
        #expect(try names().count == 2)  // the temporary lies beside the target
        try sink.close()
        try provider.replaceContents(with: sink)
        #expect(try CompressedDataProvider(url: url).data() == Data("new".utf8))
        for link in [first, second] {
            let type = try FileManager.default.attributesOfItem(atPath: link.path)[.type]
            #expect(type as? FileAttributeType == .typeSymbolicLink)
        }
        #expect(try names() == ["document.gz"])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a file system"))
    func aStoreOnAReadOnlyFileSystemIsReadAndSaysSoWhenItIsSaved() throws {
        let disk = try SmallDisk()
        let url = disk.url.appending(path: "document.gz")
        try store(old).write(to: url)
        try #require(try QuireTests.run("mount", "-o", "remount,ro", disk.url.path).status == 0)
        let provider = try CompressedDataProvider(url: url)
        #expect(try provider.data() == old && !provider.canWrite)
        for options in [[], .append] as [DataSinkOptions] {
            let error = #expect(throws: QuireError.self) {
                try provider.save(options, Data("new".utf8))
            }
            #expect(error?.code == .fileSystem)
            #expect((error?.underlying as? POSIXError)?.code == .EROFS)
        }
        #expect(try provider.data() == old)
    }

    /// The helper's first line, as a user that is not root.
    private func save(_ kind: String, _ size: Int) throws -> String {
        try run(["save", "store", url.path, kind, "\(size)", "7"])
    }

    private func run(_ arguments: [String]) throws -> String {
        let user = geteuid() == 0 ? ["as", "\(Self.nobody)"] : []
        return try Helper(user + arguments).end().lines.first ?? "nothing was said"
    }

    private func permit(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: documents.path)
    }

    /// Mode, owner and group.
    private func attributes() throws -> [Int?] {
        let found = try FileManager.default.attributesOfItem(atPath: url.path)
        return [.posixPermissions, .ownerAccountID, .groupOwnerAccountID].map { found[$0] as? Int }
    }
}
