import Foundation
import PSPDFKit
import Quire
import QuireSDKShell
import QuireTesting
import Synchronization
import Testing

/// The shell as the SDK meets it: through the protocols of its module alone.
@Suite("SDKDataProvider")
final class SDKDataProviderTests: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "quire-sdk-\(UUID())")
    private let document = TestBytes.mixed(200_000)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func makeProvider() throws -> any PSPDFKit.DataProviding {
        let provider = try SDKDataProvider.createStore(at: folder.appending(path: "a.pdf.gz"))
        try save(document, [], provider)
        return provider
    }

    /// As the SDK does.
    private func save(
        _ data: Data, _ options: PSPDFKit.DataSinkOptions, _ provider: any PSPDFKit.DataProviding
    ) throws {
        let sink = try provider.createDataSink(options: options)
        #expect(sink.options == options && !sink.isFinished)
        for start in stride(from: 0, to: data.count, by: 30_000) {
            #expect(sink.write(data.dropFirst(start).prefix(30_000)))
        }
        #expect(sink.finish() && sink.isFinished)
        try provider.replaceContents(with: sink)
    }

    @Test func itIsReadAndSaved() throws {
        let provider = try makeProvider()
        #expect(provider.size == 200_000 && provider.additionalOperationsSupported == .write)
        #expect(try provider.data() == document)
        #expect(
            try provider.readData(withSize: 500, atOffset: 199_800) == document.suffix(200))
        #expect(try provider.readData(withSize: .max, atOffset: .max).isEmpty)
        #expect(provider.canWrite && provider.useDiskCache)
        #expect(provider.progress == nil && provider.error == nil)
        let uid = provider.uid
        try save(Data("tail".utf8), .append, provider)
        #expect(try provider.data() == document + Data("tail".utf8))
        try save(Data("new".utf8), [], provider)
        #expect(try provider.data() == Data("new".utf8))
        #expect(provider.uid == uid)
        let again = try SDKDataProvider(storeURL: folder.appending(path: "a.pdf.gz"))
        #expect(try again.data() == Data("new".utf8) && again.uid == uid)
    }

    @Test func theOldDocumentIsReadUntilTheCommit() throws {
        let provider = try makeProvider()
        let sink = try provider.createDataSink(options: [])
        #expect(sink.write(Data("new".utf8)) && sink.finish())
        #expect(try provider.data() == document)
        try provider.replaceContents(with: sink)
        #expect(try provider.data() == Data("new".utf8))
    }

    @Test func theSignatureIsKept() throws {
        let provider = try makeProvider()
        #expect(provider.signature == nil)
        provider.signature = Data([1, 2, 3])
        #expect(provider.signature == Data([1, 2, 3]))
    }

    @Test func foreignAndUnfinishedSinksAreErrors() throws {
        final class Foreign: NSObject, PSPDFKit.DataSink {
            var isFinished: Bool { true }
            var options: PSPDFKit.DataSinkOptions { [] }
            func write(_ data: Data) -> Bool { true }
            func finish() -> Bool { true }
        }
        let provider = try makeProvider()
        #expect(throws: QuireError.self) { try provider.replaceContents(with: Foreign()) }
        let unfinished = try provider.createDataSink(options: [])
        let error = #expect(throws: QuireError.self) {
            try provider.replaceContents(with: unfinished)
        }
        #expect((error as (any Error)?).map { ($0 as NSError).code } == 120)
        #expect(try provider.data() == document)
    }

    @Test func itIsArchivedAsAReference() throws {
        let provider = try #require(makeProvider() as? SDKDataProvider)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: provider, requiringSecureCoding: true)
        #expect(archive.count < 2000)
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: SDKDataProvider.self, from: archive))
        #expect(try decoded.data() == document && decoded.uid == provider.uid)
        let memory = SDKDataProvider(Quire.DataContainerProvider(data: document))
        let none = try NSKeyedArchiver.archivedData(
            withRootObject: memory, requiringSecureCoding: true)
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: SDKDataProvider.self, from: none)
        }
    }

    @Test func deletingAndClearingReachTheProvider() throws {
        let provider = try makeProvider()
        provider.clearCache()
        #expect(try provider.data() == document)
        try provider.deleteData()
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "a.pdf.gz").path))
        #expect(throws: (any Error).self) { try provider.data() }
        #expect(provider.size == 0)
    }

    @Test func complaint1And2RenderingThreadsReadWhileItIsSaved() throws {
        let provider = try #require(makeProvider() as? SDKDataProvider)
        let old = document
        let new = Data(document.reversed())
        let isDone = Atomic(false)
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 5) { thread in
            if thread == 0 {
                for round in 0..<20 { try? self.save(round % 2 == 0 ? new : old, [], provider) }
                isDone.store(true, ordering: .relaxed)
            }
            var random = TestBytes(seed: UInt64(thread))
            while !isDone.load(ordering: .relaxed) {
                let offset = Int.random(in: 0..<old.count, using: &random)
                let read = try? provider.readData(withSize: 4000, atOffset: UInt64(offset))
                if read != old.dropFirst(offset).prefix(4000),
                    read != new.dropFirst(offset).prefix(4000)
                {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
