import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("References and archives")
struct ReferenceTests {
    private let folder: TemporaryFolder
    private let document = TestBytes.mixed(100_000)

    init() throws { folder = try TemporaryFolder() }

    private func storeFile(_ configuration: CompressedDataProvider.Configuration = .init())
        throws -> CompressedDataProvider
    {
        let upstream = FileDataProvider(fileURL: folder.file("store.gz"))
        let provider = try CompressedDataProvider.create(in: upstream, configuration: configuration)
        try provider.save([], document)
        return provider
    }

    private func archive(_ provider: some NSObject & NSSecureCoding) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: provider, requiringSecureCoding: true)
    }

    @Test func aFileIsFoundAgain() throws {
        let file = FileDataProvider(fileURL: try folder.file("plain.pdf", document))
        let archived = try archive(file)
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: FileDataProvider.self, from: archived))
        #expect(decoded.uid == file.uid)
        #expect(try decoded.data() == document)
        #expect(archived.range(of: document.prefix(50)) == nil, "no content in an archive")
    }

    @Test func aCoordinatedFileIsFoundAgain() throws {
        let file = CoordinatedFileDataProvider(fileURL: try folder.file("plain.pdf", document))
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CoordinatedFileDataProvider.self, from: archive(file)))
        #expect(try decoded.uid == file.uid && decoded.data() == document)
        let stack = DataProviderReference(
            kind: "compressed", upstream: .init(kind: "coordinated-file", path: "/nowhere"))
        #expect(code { _ = try stack.resolve() } == .fileNotFound)
    }

    @Test func aStackIsFoundAgainWithItsConfiguration() throws {
        let configuration = CompressedDataProvider.Configuration(
            level: 3, favor: .speed, blockSize: 8192, cacheByteBudget: 1 << 20)
        let provider = try storeFile(configuration)
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CompressedDataProvider.self, from: archive(provider)))
        #expect(decoded.uid == provider.uid)
        #expect(decoded.configuration.level == 3 && decoded.configuration.favor == .speed)
        #expect(decoded.configuration.blockSize == 8192)
        #expect(decoded.configuration.cacheByteBudget == 1 << 20)
        #expect(try decoded.data() == document)
        try decoded.save(.append, Data("more".utf8))
        #expect(try CompressedDataProvider(url: folder.file("store.gz")).size == 100_004)
    }

    @Test func stacksOfStacksAreFoundAgain() throws {
        let outer = try CompressedDataProvider.create(in: storeFile().emptied())
        try outer.save([], document)
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CompressedDataProvider.self, from: archive(outer)))
        #expect(try decoded.data() == document && decoded.uid == outer.uid)
    }

    @Test(arguments: ["file", "compressed"])
    func theUIDIsTheSameInANewProcess(kind: String) async throws {
        let provider = try storeFile()
        let file = FileDataProvider(fileURL: folder.file("store.gz"))
        let isFile = kind == "file"
        let archived = isFile ? try archive(file) : try archive(provider)
        let url = try folder.file("archive", archived)
        let result = try run(ToolFolder.executable("TestHelper").path, "decode", kind, url.path)
        let expected = "\(isFile ? file.uid : provider.uid)\n"
        #expect(result.status == 0 && result.output.starts(with: expected.utf8))
        #expect(result.output.dropFirst(expected.count) == (isFile ? try file.data() : document))
    }

    @Test func complaint10ArchivesHoldPathsInTheHomeFolderFromThereOn() throws {
        let url = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("Documents/a.pdf")
        let reference = FileDataProvider(fileURL: url).reference()
        #expect(reference.path == "~/Documents/a.pdf")
        #expect(try reference.fileURL().path == url.path)
        let archived = try archive(FileDataProvider(fileURL: url))
        #expect(archived.range(of: Data(NSHomeDirectory().utf8)) == nil || NSHomeDirectory() == "/")
    }

    @Test func complaint10WhatCannotBeDecodedIsAnError() throws {
        let memory = try CompressedDataProvider(DataContainerProvider(data: store(document)))
        #expect(code { _ = try memory.reference() } == .unsupportedOperation)
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CompressedDataProvider.self, from: archive(memory))
        }
        let provider = try storeFile()
        let archived = try archive(provider)
        try FileManager.default.removeItem(at: folder.file("store.gz"))
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CompressedDataProvider.self, from: archived)
        }
    }

    @Test func damagedArchivesAreErrors() throws {
        let provider = try storeFile()
        let json = try JSONEncoder().encode(provider.reference())
        let decoder = JSONDecoder()
        for cut in 0..<json.count {
            #expect(throws: (any Error).self) {
                try decoder.decode(DataProviderReference.self, from: json.prefix(cut)).resolve()
            }
        }
        let odd = [
            DataProviderReference(kind: "file"), .init(kind: "file", path: "relative"),
            .init(kind: "compressed"), .init(kind: "unheard-of", path: "/"),
            .init(kind: "compressed", upstream: .init(kind: "file", path: "/nowhere")),
        ]
        for reference in odd {
            #expect(throws: QuireError.self) { _ = try reference.resolve().data() }
        }
        for (key, value) in [
            ("level", "x"), ("level", "77"), ("favor", "?"), ("blockSize", "0"),
            ("cacheByteBudget", "-1"), ("cacheByteBudget", "99999999999999999999"),
        ] {
            let upstream = try provider.reference().upstream
            let reference = DataProviderReference(
                kind: "compressed", options: [key: value], upstream: upstream)
            #expect(code { _ = try reference.resolve() } == .invalidArgument)
        }
    }

    @Test func archivesOfAnotherKindOrNoneAreErrors() throws {
        // By hand: the archiver of a class with other keys, values of other types, too deep, too long.
        let file = DataProviderReference(kind: "file", path: "/x")
        let deep = (0..<40).reduce(file) { inner, _ in .init(kind: "compressed", upstream: inner) }
        let long = DataProviderReference(
            kind: "compressed", options: ["a": String(repeating: "x", count: 70_000)])
        for reference in [file, deep, long] {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            let bytes = [UInt8](try JSONEncoder().encode(reference))
            unsafe bytes.withUnsafeBufferPointer {
                unsafe archiver.encodeBytes(
                    $0.baseAddress, length: $0.count, forKey: "QuireReference")
            }
            let decoder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            #expect(CompressedDataProvider(coder: decoder) == nil)
        }
        for value in ["text" as NSString, NSNumber(value: 5), NSArray(array: [1])] as [NSObject] {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.encode(value, forKey: "QuireReference")
            let decoder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            #expect(FileDataProvider(coder: decoder) == nil)
        }
        let empty = NSKeyedArchiver(requiringSecureCoding: true)
        let decoder = try NSKeyedUnarchiver(forReadingFrom: empty.encodedData)
        #expect(FileDataProvider(coder: decoder) == nil)
    }

    @Test func referencesThatAreTooDeepAreErrors() {
        let file = DataProviderReference(kind: "file", path: "/x")
        let deep = (0..<20_000).reduce(file) { inner, _ in .init(kind: "deep", upstream: inner) }
        DataProviderReference.register(kind: "deep") {
            try $0.upstream?.resolve() ?? DataContainerProvider(data: Data())
        }
        #expect(code { _ = try deep.resolve() } == .invalidArgument)
    }

    @Test func kindsOfOnesOwnAreResolvedInStacks() throws {
        let stored = try store(document)
        DataProviderReference.register(kind: "test-\(stored.count)") { _ in
            DataContainerProvider(data: stored)
        }
        let reference = DataProviderReference(
            kind: "compressed", upstream: .init(kind: "test-\(stored.count)"))
        #expect(try reference.resolve().data() == document)
    }
}

extension CompressedDataProvider {
    /// With a document of no bytes.
    fileprivate func emptied() throws -> CompressedDataProvider {
        try save([], Data())
        return self
    }
}
