import Foundation
import QuireCrypto
import QuireTesting
import Testing

@testable import Quire

@Suite("Conformance of encryption")
struct CryptoConformanceTests {
    /// A provider over one of stored bytes, with a document in it.
    static func encrypted(
        _ document: Data, into upstream: any DataProviding & Sendable,
        _ secret: AESCryptoSecret = .quick
    ) throws -> AESCryptoDataProvider {
        let provider = AESCryptoDataProvider(upstream, secret: secret)
        try provider.save([], document)
        return provider
    }

    static func file(_ name: String) throws -> FileDataProvider {
        FileDataProvider(fileURL: try TemporaryFolder.uniqueFile(name))
    }

    static let subjects = [
        ProviderConformance.Subject("AES(Memory)") { decrypt(try message($0)) },
        ProviderConformance.Subject("AES(File), passphrase") {
            try encrypted($0, into: file("document.aes"), .word)
        },
        // Around the chunks in which a message is read.
        ProviderConformance.Subject("AES(File), large", blockSize: 128 << 10) {
            try encrypted($0, into: file("document.aes"))
        },
        ProviderConformance.Subject("AES(Coordinated)") {
            let url = try TemporaryFolder.uniqueFile("coordinated.aes")
            try message($0).write(to: url)
            return AESCryptoDataProvider(
                CoordinatedFileDataProvider(fileURL: url), secret: .quick)
        },
        ProviderConformance.Subject("AES(the guide's example)") {
            try encrypted($0, into: ExampleDataProvider(data: Data()))
        },
        ProviderConformance.Subject("AES(AES(Memory))") {
            let inner = AESCryptoDataProvider(
                DataContainerProvider(data: try message(try message($0), .wrongKey)),
                secret: .wrongKey)
            return AESCryptoDataProvider(inner, secret: .quick)
        },
        ConformanceTests.compressed("AES(File)") {
            AESCryptoDataProvider(try file("document.aes"), secret: .word)
        },
        ConformanceTests.compressed("AES(Memory)") {
            AESCryptoDataProvider(DataContainerProvider(data: Data()), secret: .quick)
        },
        ConformanceTests.compressed("AES(the guide's example)") {
            AESCryptoDataProvider(ExampleDataProvider(data: Data()), secret: .quick)
        },
        ProviderConformance.Subject("AES(Compressed(File))") {
            try encrypted(
                $0, into: ConformanceTests.compress(Data(), into: file("document.aes.gz")))
        },
    ]

    @Test(arguments: subjects, ProviderConformance.rules)
    func everyStackKeepsTheRules(
        subject: ProviderConformance.Subject, rule: ProviderConformance.Rule
    ) throws {
        try rule.check(subject)
    }

    /// The SDK's callers on 100 appends and 20 replaces, two readers for each core.
    @Test(arguments: [subjects[0], subjects[2], subjects[3], subjects[6]])
    func readersSeeOnlyWholeDocuments(subject: ProviderConformance.Subject) throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let test = RevisionTest(appends: 100, replaces: 20, blockSize: 4096)
        let tally = try test.run(readers: 2 * cores, make: subject.make)
        #expect(tally.commitCount == 120)
        #expect(tally.readCount >= 120 * cores)
    }
}
