import Foundation
import QuireCrypto
import QuireTesting
import Testing

@testable import Quire

@Suite("AES streams")
struct AESCryptoStreamTests {
    static let chunks = [1, 15, 16, 17, 4096]
    /// Around blocks, and around messages that fill a chunk of 128 KiB.
    static let sizes = [
        0, 1, 15, 16, 17, 4096, 130_957, 130_973, 130_974, 130_989, 130_990, 130_991, 131_072,
        262_016, 300_001,
    ]

    /// Reads a message by every size of chunk, from a stream that gives as few.
    static func check(_ vector: VectorCase, _ name: String) throws {
        let document = try vector.bytes("plaintext_hex")
        for size in chunks {
            let stream = decrypting(try vector.bytes(name), vector["password"], limit: size)
            let (bytes, last) = stream.drain(by: size)
            #expect(bytes == document && last == 0, "by \(size)")
            #expect(stream.isAuthenticated && stream.streamStatus == .atEnd)
            #expect(stream.closeWithData() == Data() && stream.streamStatus == .closed)
            #expect(stream.streamError == nil)
            #expect(try decrypt(streamed(document, by: size), .word).data() == document)
        }
    }

    @Test(.enabled(if: Vectors.areThere, "QUIRE_VECTORS has no vectors"))
    func publishedMessagesOpenByChunksOfAnySize() throws {
        #expect(Vectors.password.count == 6)
        for vector in Vectors.password { try Self.check(vector, "ciphertext_hex") }
    }

    @Test func messagesOfAnotherImplementationOpenByChunksOfAnySize() throws {
        let cases = MessageFixtureTests.cases.filter { $0["form"] == "password" }
        #expect(cases.count == 6)
        for vector in cases { try Self.check(vector, "message_hex") }
    }

    @Test(.enabled(if: Vectors.areThere, "QUIRE_VECTORS has no vectors"))
    func messagesOfVersions1And2AreRefusedByName() throws {
        #expect(!Vectors.older.isEmpty)
        for vector in Vectors.older {
            let stream = decrypting(try vector.bytes("ciphertext_hex"), vector["password"])
            #expect(stream.drain() == (Data(), -1))
            #expect(stream.failureCodes == ["unsupportedVersion", "110"])
        }
    }

    @Test(arguments: sizes)
    func streamsAndProvidersReadEachOther(size: Int) throws {
        let document = TestBytes.mixed(size, seed: UInt64(size))
        let (made, saved) = (try streamed(document), try message(document, .word))
        #expect(made.count == saved.count)
        #expect(try decrypt(made, .word).data() == document)
        for (message, limit) in [(made, 1000), (saved, .max)] {
            let stream = decrypting(message, limit: limit)
            #expect(stream.drain() == (document, 0) && stream.isAuthenticated)
        }
    }

    @Test func filesOfTheCryptorAreReadAndWritten() throws {
        let folder = try TemporaryFolder()
        let (plain, secret) = (folder.file("plain"), folder.file("secret"))
        let document = TestBytes.mixed(200_000)
        try document.write(to: plain)
        try Cryptor().encrypt(from: plain, to: secret, passphrase: "wörd")
        let input = AESCryptoInputStream(
            inputStream: try #require(InputStream(url: secret)), passphrase: "wörd")
        input.open()
        #expect(input.drain() == (document, 0) && input.closeWithData() == Data())
        let target = try #require(OutputStream(url: secret, append: false))
        let output = try #require(
            AESCryptoOutputStream(outputStream: target, passphrase: "wörd"))
        output.open()
        #expect(output.pour(document + document))
        output.close()
        #expect(output.streamStatus == .closed)
        try Cryptor().decrypt(from: secret, to: plain, passphrase: "wörd")
        #expect(try Data(contentsOf: plain) == document + document)
    }

    @Test func everyMessageHasFreshSaltsAndAFreshIV() throws {
        let headers = try (0..<3).map { _ in try streamed(Data("same".utf8)).prefix(34) }
        for range in [2..<10, 10..<18, 18..<34] {
            #expect(Set(headers.map { $0.subdata(in: range) }).count == 3)
        }
    }

    /// The loops of code that was written for the SDK.
    @Test(arguments: [0, 16, 1000, 200_000])
    func closeWithDataHasWhatWasNotRead(size: Int) throws {
        let document = TestBytes.mixed(size)
        let message = try streamed(document)
        for wanted in [0, 1, 98, 150_000, 250_000] {
            let stream = decrypting(message)
            var buffer = [UInt8](repeating: 0, count: 98)
            var bytes = Data()
            while stream.hasBytesAvailable, bytes.count < wanted {
                let count = unsafe stream.read(&buffer, maxLength: buffer.count)
                bytes += buffer.prefix(count)
            }
            let rest = try #require(stream.closeWithData())
            #expect(bytes + rest == document && stream.streamStatus == .closed)
            #expect(!stream.hasBytesAvailable && stream.drain() == (Data(), -1))
            #expect(stream.closeWithData() == Data() && stream.streamError == nil)
            stream.close()
            #expect(stream.streamStatus == .closed)
        }
    }

    @Test func closeBeforeTheEndIsAnErrorAndAfterItIsNot() throws {
        let message = try streamed(TestBytes.mixed(200_000))
        let early = decrypting(message)
        var buffer = [UInt8](repeating: 0, count: 98)
        #expect(unsafe early.read(&buffer, maxLength: 98) == 98 && !early.isAuthenticated)
        early.close()
        #expect(early.streamStatus == .error)
        #expect(early.failureCodes == ["unsupportedOperation", "120"])
        #expect(early.closeWithData() == nil && early.drain() == (Data(), -1))
        let late = decrypting(message)
        #expect(late.drain().last == 0)
        late.close()
        #expect(late.streamStatus == .closed && late.streamError == nil)
    }

    @Test func aStreamThatIsNotOpenGivesAndTakesNothing() throws {
        let upstream = ScriptedInputStream(try streamed(Data("x".utf8)))
        let input = AESCryptoInputStream(inputStream: upstream, passphrase: "correct horse")
        #expect(input.streamStatus == .notOpen && !input.hasBytesAvailable)
        #expect(input.drain() == (Data(), -1) && input.streamError == nil)
        #expect(input.closeWithData() == nil && input.failureCodes.last == "120")
        let memory = ScriptedOutputStream()
        let output = try #require(AESCryptoOutputStream(outputStream: memory, passphrase: "x"))
        #expect(!output.pour(Data("x".utf8)) && !output.hasSpaceAvailable)
        output.close()
        output.open()
        #expect(memory.bytes.isEmpty && output.streamStatus == .closed)
    }

    @Test func anEmptyPassphraseIsNone() throws {
        let input = decrypting(try streamed(Data("x".utf8)), "")
        #expect(input.drain() == (Data(), -1))
        #expect(input.failureCodes == ["invalidArgument", "130"])
        let memory = ScriptedOutputStream()
        for output in [
            AESCryptoOutputStream(outputStream: memory, passphrase: ""),
            AESCryptoOutputStream.toMemory(),
        ] {
            output?.open()
            #expect(output?.failureCodes == ["invalidArgument", "100"])
            #expect(output?.pour(Data("x".utf8)) == false && memory.bytes.isEmpty)
        }
    }

    @Test func aMessageThatIsNotClosedIsNotWhole() throws {
        let memory = ScriptedOutputStream()
        var stream = AESCryptoOutputStream(outputStream: memory, passphrase: "correct horse")
        stream?.open()
        #expect(stream?.pour(TestBytes.mixed(200_000)) == true)
        stream = nil
        #expect(memory.bytes.count == 34 + (128 << 10))
        #expect(decrypting(memory.bytes).drain().last == -1)
        #expect(code { _ = try decrypt(memory.bytes, .word).data() } != nil)
    }
}
