import Foundation
import QuireTesting
import Testing

@testable import Quire
@testable import QuireCrypto

/// The SDK's initialisers, as code written for it calls them.
@Suite("The SDK's AES initialisers")
struct AESCryptoSDKTests {
    let document = TestBytes.mixed(10_000)

    /// The initialisers are optional, as in the SDK.
    func present(_ provider: AESCryptoDataProvider?) throws -> AESCryptoDataProvider {
        try #require(provider)
    }

    @Test func aPassphraseAloneIsThePasswordForm() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let provider = try present(AESCryptoDataProvider(url: url, passphraseProvider: { "word" }))
        try provider.save([], document)
        #expect(try Data(contentsOf: url).prefix(2) == Data([3, 1]))
        let other = try present(AESCryptoDataProvider(url: url, passphraseProvider: { "word" }))
        #expect(try other.data() == document)
        #expect(other.uid == provider.uid && other.fileURL == url)
    }

    @Test func aPassphraseASaltAndRoundsAreTheKeyForm() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let rounds = AESCryptoDataProvider.defaultNumberOfPBKDFRounds
        #expect(rounds == 10_000)
        let provider = try present(
            AESCryptoDataProvider(
                url: url, passphraseProvider: { "wörd" }, salt: "sält", rounds: rounds))
        try provider.save([], document)
        #expect(try Data(contentsOf: url).prefix(2) == Data([3, 0]))
        let other = try present(
            AESCryptoDataProvider(
                url: url, passphraseDataProvider: { Data("wörd".utf8) }, salt: Data("sält".utf8),
                rounds: rounds))
        #expect(try other.data() == document)
        for (salt, rounds) in [("salt", rounds), ("sält", rounds + 1)] {
            let wrong = try present(
                AESCryptoDataProvider(
                    url: url, passphraseProvider: { "wörd" }, salt: salt, rounds: rounds))
            #expect(code { _ = try wrong.data() } == .authenticationFailed)
        }
    }

    @Test func aBinaryKeyIsTheKeyFormToo() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let key = TestBytes.noise(32)
        let provider = try present(AESCryptoDataProvider(url: url, binaryKeyProvider: { key }))
        try provider.save([], document)
        let stored = try Data(contentsOf: url)
        #expect(try decrypt(stored, .key { key }).data() == document)
        #expect(try decrypt(stored, .keys { (key, key) }).data() == document)
    }

    @Test func theLegacyLayoutIsRefusedByName() throws {
        let url = try TemporaryFolder.uniqueFile("legacy.aes")
        do {
            _ = try AESCryptoDataProvider(legacyFileFormatURL: url, passphraseProvider: { "word" })
            Issue.record("it was not refused")
        } catch let error as QuireError {
            #expect(error.code == .unsupportedFeature)
            #expect(error.message.contains("legacy PSPDFKit layout"))
        }
    }

    @Test func aSinkOfItsOwnWritesItsFileWhenItIsFinished() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let provider = try present(AESCryptoDataProvider(url: url, passphraseProvider: { "word" }))
        for options in [.append, [], .append] as [DataSinkOptions] {
            let before = try? provider.data()
            let sink = AESCryptoDataSink(
                url: url, passphraseProvider: { "word" }, options: options)
            #expect(sink.write(document) && (try? provider.data()) == before && sink.finish())
            try provider.replaceContents(with: sink)
            let base = options == .append ? before ?? Data() : Data()
            #expect(try provider.data() == base + document)
        }
        let wrong = AESCryptoDataSink(url: url, passphraseProvider: { "?" }, options: .append)
        #expect(!wrong.write(document) && !wrong.finish())
        #expect((wrong.failure as? QuireError)?.code == .authenticationFailed)
        #expect(try provider.data() == document + document)
    }

    @Test func aSinkForAUidIsTakenByTheProviderThatHasIt() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let provider = try present(AESCryptoDataProvider(url: url, passphraseProvider: { "word" }))
        for options in [[], .append] as [DataSinkOptions] {
            let sink = AESCryptoDataSink(
                uid: provider.uid, passphraseProvider: { "word" }, options: options)
            #expect(sink.options == options)
            #expect(code { try provider.replaceContents(with: sink) } == .unfinishedSink)
            #expect(sink.write(document) && sink.finish())
            try provider.replaceContents(with: sink)
            #expect(code { try provider.replaceContents(with: sink) } == .spentSink)
        }
        #expect(try provider.data() == document + document)
        for (uid, word, expected) in [
            (provider.uid, "?", QuireError.Code.authenticationFailed),
            ("aes-", "word", .foreignSink),
        ] {
            let sink = AESCryptoDataSink(uid: uid, passphraseProvider: { word })
            #expect(sink.finish())
            #expect(code { try provider.replaceContents(with: sink) } == expected)
        }
        #expect(try provider.data() == document + document)
    }

    @Test func aStackIsFoundAgainByItsReferenceWithoutItsSecret() throws {
        let url = try TemporaryFolder.uniqueFile("document.aes")
        let aes = AESCryptoDataProvider(
            FileDataProvider(fileURL: url), secret: .word, authentication: .deferred)
        let provider = try CompressedDataProvider.create(in: aes)
        try provider.save([], document)
        let archived = try NSKeyedArchiver.archivedData(
            withRootObject: provider, requiringSecureCoding: true)
        #expect(archived.range(of: Data("horse".utf8)) == nil)
        #expect(code { _ = try provider.reference().resolve() } == .invalidArgument)

        AESCryptoDataProvider.resolveReferences { reference in
            let name = try reference.upstream?.fileURL().lastPathComponent
            return name == "document.aes" ? .word : .wrongKey
        }
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CompressedDataProvider.self, from: archived))
        #expect(try decoded.data() == document && decoded.uid == provider.uid)
        let inner = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: AESCryptoDataProvider.self,
                from: NSKeyedArchiver.archivedData(
                    withRootObject: aes, requiringSecureCoding: true)))
        #expect(try inner.data() == aes.data() && inner.uid == aes.uid)
        #expect(inner.authentication == .deferred)
        for odd in [
            DataProviderReference(kind: "aes"),
            .init(
                kind: "aes", options: ["authentication": "?"],
                upstream: .init(kind: "file", path: "/x")),
        ] {
            #expect(code { _ = try odd.resolve() } == .invalidArgument)
        }
        #expect(code { _ = try decrypt(message(Data())).reference() } == .unsupportedOperation)
    }

    @Test func aCryptorsFilesAreThoseOfTheProviders() throws {
        let folder = try TemporaryFolder()
        let (plain, back) = (try folder.file("plain", document), folder.file("back"))
        let secret = folder.file("secret")
        let cryptor = Cryptor()
        let key = try cryptor.key(fromPassphrase: "word", salt: "salt")
        try cryptor.encrypt(from: plain, to: secret, key: key)
        let provider = try present(
            AESCryptoDataProvider(
                url: secret, passphraseProvider: { "word" }, salt: "salt", rounds: 10_000))
        #expect(try provider.data() == document)
        try cryptor.decrypt(from: secret, to: back, key: key)
        #expect(try Data(contentsOf: back) == document)

        try cryptor.encrypt(from: plain, to: secret, passphrase: "word")
        #expect(try decrypt(Data(contentsOf: secret), .passphrase { "word" }).data() == document)
        try document.prefix(1).write(to: back)
        #expect(
            code { try cryptor.decrypt(from: secret, to: back, passphrase: "Word") }
                == .authenticationFailed)
        #expect(code { try cryptor.decrypt(from: secret, to: back, key: key) } == .wrongKeyForm)
        #expect(try Data(contentsOf: back) == document.prefix(1))
        try cryptor.decrypt(from: secret, to: back, passphrase: "word")
        #expect(try Data(contentsOf: back) == document)
        #expect(folder.names == ["back", "plain", "secret"])
        #expect(code { _ = try cryptor.key(fromPassphrase: "", salt: "salt") } == .invalidArgument)
    }

    @Test func aSinkForAUidLeavesNoFile() throws {
        let path: String? = try {
            let sink = AESCryptoDataSink(uid: "u", passphraseProvider: { "word" })
            #expect(sink.write(document) && sink.finish())
            let path = try #require(sink.staged?.url.path)
            #expect(FileManager.default.fileExists(atPath: path))
            return path
        }()
        #expect(!FileManager.default.fileExists(atPath: try #require(path)))
    }
}
