import Foundation
import QuireCrypto
import QuireTesting
import Testing

@testable import Quire

@Suite("Crypto streams over blocks")
struct CryptoStreamTests {
    let document = TestBytes.noise(10_000)

    /// A stream that was opened, over one that gives at most seven bytes at once.
    @safe func opened(
        failingRead: Int = -1,
        _ block: ((CryptoInputStream, UnsafeMutablePointer<UInt8>, Int) -> Int)?
    ) throws -> CryptoInputStream {
        let upstream = ScriptedInputStream(document, limit: 7, failingRead: failingRead)
        let stream = try #require(
            unsafe CryptoInputStream(inputStream: upstream, decryptionBlock: block))
        stream.open()
        return stream
    }

    @Test func bytesAreDecryptedInPlace() throws {
        let stream = try opened { _, bytes, count in
            for index in 0..<count { unsafe bytes[index] ^= 0x5a }
            return count
        }
        #expect(stream.drain() == (Data(document.map { $0 ^ 0x5a }), 0))
        #expect(stream.streamStatus == .atEnd && !stream.hasBytesAvailable)
        stream.close()
        #expect(stream.streamStatus == .closed && stream.streamError == nil)
    }

    @Test func withoutABlockBytesPassThrough() throws {
        #expect(try opened(nil).drain(by: 3) == (document, 0))
    }

    @Test func aBlockThatGivesNothingIsNotTheEnd() throws {
        var calls = 0
        let stream = try opened { _, _, count in
            calls += 1
            return calls % 2 == 0 ? 0 : count
        }
        let (bytes, last) = stream.drain()
        #expect(last == 0 && bytes.count == 715 * 7 - 3 && calls == 1429)
    }

    @Test(arguments: [-1, 4097])
    func aBlockThatFailsIsTheError160(length: Int) throws {
        let stream = try opened { _, _, _ in length }
        #expect(stream.drain() == (Data(), -1) && stream.streamStatus == .error)
        #expect(stream.failureCodes == ["cryptoFailure", "160"])
    }

    @Test func anErrorOfTheWrappedStreamIsTheStreams() throws {
        let stream = try opened(failingRead: 2, nil)
        #expect(stream.drain() == (document.prefix(14), -1))
        #expect((stream.streamError as? POSIXError)?.code == .EIO)
        stream.close()
        #expect(stream.streamStatus == .error)
    }

    @Test func whatTheBlockMakesIsWritten() throws {
        let memory = ScriptedOutputStream(limit: 5)
        let stream = try #require(
            unsafe CryptoOutputStream(outputStream: memory) { _, bytes, count in
                let part = unsafe Data(bytes: bytes, count: Int(count))
                return part + part.reversed()
            })
        stream.open()
        #expect(stream.pour(document, by: 1000))
        stream.close()
        #expect(memory.bytes.prefix(1000) == document.prefix(1000))
        #expect(memory.bytes.count == 20_000 && stream.streamStatus == .closed)
        #expect(!stream.pour(document) && memory.bytes.count == 20_000)
    }

    @Test func aWriteThatFailsIsTheError120() throws {
        let memory = ScriptedOutputStream(failingWrite: 1)
        let stream = try #require(
            unsafe CryptoOutputStream(outputStream: memory) { _, bytes, count in
                unsafe Data(bytes: bytes, count: Int(count))
            })
        stream.open()
        #expect(!stream.pour(document))
        stream.close()
        #expect(stream.failureCodes == ["fileSystem", "120"] && memory.bytes.count == 4096)
    }

    /// The older names are the same types.
    @Test func complaint15EmptyContentPassesTheStreams() throws {
        let message = try streamed(Data())
        #expect(message.count == 82)
        let stream: PSPDFAESCryptoInputStream = decrypting(message)
        #expect(stream.hasBytesAvailable && stream.drain() == (Data(), 0))
        #expect(stream.isAuthenticated && !stream.hasBytesAvailable)
        #expect(stream.closeWithData() == Data() && stream.streamError == nil)
        #expect(decrypting(message).closeWithData() == Data())
        // Writes and reads of no bytes.
        let memory = ScriptedOutputStream()
        let output = try #require(
            PSPDFAESCryptoOutputStream(outputStream: memory, passphrase: "correct horse"))
        output.open()
        #expect(unsafe output.write([], maxLength: 0) == 0)
        output.close()
        #expect(try decrypt(memory.bytes, .word).data() == Data())
        var byte: UInt8 = 0
        let other = decrypting(memory.bytes)
        #expect(unsafe other.read(&byte, maxLength: 0) == 0 && other.streamStatus == .open)
        let plain = try #require(
            unsafe PSPDFCryptoInputStream(
                inputStream: ScriptedInputStream(Data()), decryptionBlock: { _, _, _ in -1 }))
        plain.open()
        #expect(plain.drain() == (Data(), 0) && plain.streamError == nil)
    }
}
