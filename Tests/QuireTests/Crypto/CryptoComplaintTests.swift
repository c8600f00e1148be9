import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire
@testable import QuireCrypto

/// What users complained about encrypted documents, by the numbers of the SDK fact sheet's section 16.
@Suite("Complaints about encryption")
struct CryptoComplaintTests {
    @Test func complaint1ManyThreadsRenderAnEncryptedDocument() throws {
        let document = TestBytes.mixed(1 << 20)
        let provider = decrypt(try message(document))
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            var random = TestBytes(seed: UInt64(thread))
            for _ in 0..<500 {
                let offset = Int.random(in: 0..<document.count, using: &random)
                let size = Int.random(in: 0...10_000, using: &random)
                let found = try? provider.read(size, at: offset)
                if found != document.dropFirst(offset).prefix(size) {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test @MainActor func complaint6ASaveOnTheMainThreadDoesNotWaitForIt() throws {
        let provider = decrypt(try message(Data("old".utf8)))
        let isReading = Atomic(true)
        let reader = Thread {
            while isReading.load(ordering: .relaxed) { _ = (provider.uid, provider.size) }
        }
        reader.start()
        for _ in 0..<100 { try provider.save(.append, Data("new".utf8)) }
        isReading.store(false, ordering: .relaxed)
        #expect(provider.size == 303)
    }

    @Test func complaint9DataIsOwnedByItsReader() throws {
        let document = TestBytes.noise(100_000)
        var provider: AESCryptoDataProvider? = decrypt(try message(document))
        var parts: [Data] = []
        for offset in stride(from: 0, to: document.count, by: 1000) {
            parts.append(try #require(try provider?.read(1000, at: offset)))
        }
        try provider?.save([], TestBytes.noise(100_000, seed: 2))
        provider = nil
        #expect(parts.reduce(into: Data()) { $0.append($1) } == document)
    }

    @Test(arguments: [AESCryptoSecret.quick, .word])
    func complaint15EmptyContentIsLegal(secret: AESCryptoSecret) throws {
        let stored = try message(Data(), secret)
        #expect(stored.count == (secret.form == .key ? 66 : 82))
        let provider = decrypt(stored, secret)
        #expect(try provider.data() == Data() && provider.size == 0 && provider.error == nil)
        #expect(try provider.read(1, at: 0) == Data())
        try provider.save(.append, Data())
        try provider.save(.append, Data("x".utf8))
        #expect(try provider.data() == Data("x".utf8))
    }

    /// The Android sample used one temporary name, deleted first, could not append, and read errors as empty.
    @Test func complaint19ASaveIsAtomicAndAnErrorIsAnError() throws {
        let folder = try TemporaryFolder()
        let file = FileDataProvider(fileURL: folder.file("document.aes"))
        let provider = try CryptoConformanceTests.encrypted(Data("base".utf8), into: file)
        let sinks = try (0..<2).map { _ in try provider.createDataSink(options: .append) }
        for sink in sinks { try sink.put(Data(" and more".utf8)) }
        #expect(folder.names.count == 3)
        #expect(try provider.data() == Data("base".utf8))
        for sink in sinks { try sink.close() }
        try provider.replaceContents(with: sinks[0])
        #expect(try provider.data() == Data("base and more".utf8))
        #expect(code { try provider.replaceContents(with: sinks[1]) } == .conflict)
        let stored = try message(Data("x".utf8))
        let failing = AESCryptoDataProvider(
            WatchedUpstream(stored, failingRead: 5), secret: .quick)
        #expect(throws: POSIXError.self) {
            for _ in 0..<3 { _ = try failing.read(1, at: 0) }
        }
    }

    @Test func complaint24And26ASmallReadIsOneSmallUpstreamRead() throws {
        let document = TestBytes.mixed(4 << 20)
        let upstream = WatchedUpstream(try message(store(document, blockSize: 65_536)))
        let provider = try CompressedDataProvider(AESCryptoDataProvider(upstream, secret: .quick))
        for offset in [0, 1 << 20, document.count - 512] {
            upstream.resetCounts()
            #expect(try provider.read(512, at: offset).count == 512)
            #expect(upstream.counts.readCount <= 2 && upstream.counts.byteCount < 66_000)
        }
    }

    @Test func complaint25NoPaddingLeaksAtAnyOffsetAndSize() throws {
        for size in 0...50 {
            let document = TestBytes.noise(size)
            let provider = decrypt(try message(document))
            #expect(provider.size == UInt64(size))
            for offset in 0...size + 1 {
                for count in 0...size + 20 {
                    #expect(
                        try provider.read(count, at: offset)
                            == document.dropFirst(offset).prefix(count))
                }
            }
        }
    }

    @Test func complaint27NothingIsShiftedAfterASeek() throws {
        let document = Data((0..<20_000).flatMap { String(format: "%07d\n", $0).utf8 })
        for secret in [AESCryptoSecret.quick, .word] {
            let provider = decrypt(try message(document, secret), secret)
            for number in [19_999, 0, 12_345, 1, 8191, 8192] {
                #expect(
                    try provider.read(8, at: number * 8)
                        == Data(String(format: "%07d\n", number).utf8))
            }
        }
    }

    @Test func complaint28And29TheSizeIsThatOfTheDocument() throws {
        for size in [0, 15, 16, 17, 100_000] {
            let stored = try message(TestBytes.mixed(size))
            #expect(stored.count == 18 + (size / 16 + 1) * 16 + 32)
            #expect(decrypt(stored).size == UInt64(size))
        }
        #expect(code { _ = try decrypt(Data("%PDF-1.7".utf8)).data() } == .notEncrypted)
    }

    @Test func complaint35ASeekDoesNotDecryptFromTheBeginning() throws {
        let document = TestBytes.mixed(8 << 20)
        let upstream = WatchedUpstream(try message(document))
        let provider = AESCryptoDataProvider(upstream, secret: .quick)
        _ = provider.size  // the tag at the end is checked here, once
        upstream.resetCounts()
        #expect(try provider.read(1000, at: 7 << 20) == document.dropFirst(7 << 20).prefix(1000))
        #expect(upstream.counts.byteCount < 1100)
    }

    @Test func complaint36TwoOpenDocumentsShareNothing() throws {
        let documents = [TestBytes.mixed(50_000, seed: 1), TestBytes.mixed(60_000, seed: 2)]
        let providers = [
            decrypt(try message(documents[0])), decrypt(try message(documents[1], .word), .word),
        ]
        for offset in stride(from: 0, to: 50_000, by: 777) {
            for (provider, document) in zip(providers, documents) {
                #expect(
                    try provider.read(500, at: offset) == document.dropFirst(offset).prefix(500))
            }
        }
    }
}

@Suite("Plaintext on disk")
struct PlaintextTests {
    static let marker = Data("a sentence that must not be found on any disk".utf8)

    /// Everything that the process has in a folder, names or none: files, and open ones without a name.
    static func contents(of folder: TemporaryFolder) throws -> [Data] {
        var found = try folder.names.map { try Data(contentsOf: folder.file($0)) }
        let descriptors = "/proc/self/fd"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? [] {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(descriptors)/\(name)")
            guard let target, target.hasPrefix(folder.url.path) else { continue }
            if let data = FileManager.default.contents(atPath: "\(descriptors)/\(name)") {
                found.append(data)
            }
        }
        return found
    }

    @Test(arguments: [false, true])
    func anAppendPutsNoneThere(isCompressed: Bool) throws {
        let folder = try TemporaryFolder()
        let aes = AESCryptoDataProvider(
            FileDataProvider(fileURL: folder.file("document.aes")), secret: .quick)
        // Level 0 stores blocks as they are: what is not encrypted would be seen.
        let provider: any DataProviding =
            isCompressed
            ? try CompressedDataProvider.create(in: aes, configuration: .init(level: 0)) : aes
        let text = Data(repeatElement(Self.marker, count: 60_000).joined())
        try provider.save([], text)
        var scanned = 0
        func scan() throws {
            for data in try Self.contents(of: folder) {
                scanned += data.count
                #expect(data.range(of: Self.marker) == nil)
            }
        }
        try scan()
        let sink = try provider.createDataSink(options: .append)
        try scan()
        for _ in 0..<3 {
            try sink.put(text)
            try scan()
        }
        try sink.close()
        try scan()
        try provider.replaceContents(with: sink)
        try scan()
        #expect(provider.size == UInt64(4 * text.count) && scanned > 20 * text.count)
    }

    @Test func theScanFindsWhatIsThere() throws {
        let folder = try TemporaryFolder()
        let file = FileDataProvider(fileURL: folder.file("plain"))
        try file.save([], Data("x".utf8))
        // Its bytes are in a file without a name.
        let sink = try file.createDataSink(options: .append)
        try sink.put(Data(repeatElement(Self.marker, count: 60_000).joined()))
        #expect(
            try Self.contents(of: folder).contains { $0.range(of: Self.marker) != nil })
    }
}
