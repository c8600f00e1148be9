import Foundation
import QuireCrypto
import QuireTesting
import Testing

@testable import Quire

@Suite("AES streams of what is not whole")
struct AESCryptoStreamFailureTests {
    /// Reads a message that must not be served whole; gives what was served and why the rest was not.
    static func refusal(
        _ message: Data, _ passphrase: String = "correct horse"
    ) -> (served: Int, codes: [String]) {
        let stream = decrypting(message, passphrase)
        let (bytes, last) = stream.drain()
        let codes = stream.failureCodes
        #expect(last == -1 && stream.streamStatus == .error && !stream.isAuthenticated)
        #expect(stream.drain() == (Data(), -1))
        #expect(stream.closeWithData() == nil && stream.streamStatus == .error)
        #expect(stream.failureCodes == codes)
        let other = decrypting(message, passphrase)
        #expect(other.closeWithData() == nil && other.failureCodes == codes)
        return (bytes.count, codes)
    }

    @Test func everyFlippedByteIsNoticedBeforeAByteIsServed() throws {
        let whole = try streamed(Data("thirty-five bytes of some document".utf8))
        for index in whole.indices {
            for bit: UInt8 in index < 2 ? [1, 0x80] : [1] {
                var altered = whole
                altered[index] ^= bit
                let expected =
                    switch (index, bit) {
                    case (0, 1): ["unsupportedVersion", "110"]
                    case (0, _), (1, 0x80): ["notEncrypted", "110"]
                    case (1, _): ["wrongKeyForm", "110"]
                    default: ["authenticationFailed", "190"]
                    }
                #expect(Self.refusal(altered) == (0, expected), "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func everyTruncationIsNoticedBeforeAByteIsServed() throws {
        let whole = try streamed(TestBytes.mixed(70))
        for count in 0..<whole.count {
            let isAligned = count >= 82 && (count - 66) % 16 == 0
            let expected =
                count < 34
                ? ["truncated", "110"]
                : isAligned ? ["authenticationFailed", "190"] : ["truncated", "180"]
            #expect(Self.refusal(whole.prefix(count)) == (0, expected), "\(count) bytes")
        }
        for extra in [1, 16] {
            let codes = Self.refusal(whole + Data(count: extra)).codes
            #expect(codes.last == (extra == 1 ? "180" : "190"))
        }
    }

    @Test func aLongMessageThatWasAlteredIsNeverServedWhole() throws {
        let document = TestBytes.mixed(300_000)
        let whole = try streamed(document)
        for index in [34, 100_000, 131_072, 250_000, whole.count - 33, whole.count - 1] {
            var altered = whole
            altered[index] ^= 1
            let (served, codes) = Self.refusal(altered)
            #expect(codes == ["authenticationFailed", "190"])
            #expect(served > 200_000 && served < document.count - 16)
        }
        // At the ends of blocks and of chunks, and without the tag.
        for count in [131_072, 131_073, 131_090, 262_144, whole.count - 32, whole.count - 16] {
            let (served, codes) = Self.refusal(whole.prefix(count))
            #expect(["180", "190"].contains(codes.last) && served <= count - 34 - 48)
        }
    }

    @Test func aWrongPassphraseIsToldAtTheEnd() throws {
        for (size, isUnseen) in [(0, true), (100_000, true), (300_000, false)] {
            let message = try streamed(TestBytes.mixed(size))
            let (served, codes) = Self.refusal(message, "wrong horse")
            #expect(codes == ["authenticationFailed", "190"] && (served == 0) == isUnseen)
        }
        #expect(Self.refusal(try message(Data("x".utf8))).codes == ["wrongKeyForm", "110"])
        #expect(Self.refusal(Data("%PDF-1.7".utf8)).codes == ["notEncrypted", "110"])
    }

    @Test func anErrorOfTheWrappedStreamPassesThroughAndEndsIt() throws {
        let document = TestBytes.mixed(150_000)
        let message = try streamed(document)
        var failures = 0
        for number in 0..<10 {
            let upstream = ScriptedInputStream(message, limit: 50_000, failingRead: number)
            let stream = AESCryptoInputStream(
                inputStream: upstream, passphrase: "correct horse")
            stream.open()
            let (bytes, last) = stream.drain()
            guard last == -1 else {
                #expect(bytes == document && stream.closeWithData() == Data())
                continue
            }
            failures += 1
            #expect((stream.streamError as? POSIXError)?.code == .EIO && bytes.count < 131_072)
            #expect(stream.closeWithData() == nil && stream.streamStatus == .error)
        }
        // Three for a chunk, one for the rest, one that says that there is no more.
        #expect(failures == 5)
    }

    @Test func aFileThatIsNotThereIsTheErrorOfOpening() throws {
        let url = try TemporaryFolder.uniqueFile("none.aes")
        let stream = AESCryptoInputStream(
            inputStream: try #require(InputStream(url: url)), passphrase: "x")
        stream.open()
        #expect(stream.streamStatus == .error && stream.failureCodes.last == "\(ENOENT)")
        let target = try #require(OutputStream(url: url.appendingPathComponent("x"), append: false))
        let output = try #require(AESCryptoOutputStream(outputStream: target, passphrase: "x"))
        output.open()
        #expect(output.streamStatus == .error && output.streamError != nil)
    }

    @Test func aWriteThatFailsLeavesNoWholeMessage() throws {
        let document = TestBytes.mixed(150_000)
        var failures = 0
        for number in 0..<10 {
            let memory = ScriptedOutputStream(failingWrite: number)
            let stream = try #require(
                AESCryptoOutputStream(outputStream: memory, passphrase: "correct horse"))
            stream.open()
            let isPoured = stream.pour(document)
            stream.close()
            guard stream.streamStatus == .error else {
                let written = try decrypt(memory.bytes, .word).data()
                #expect(isPoured && written == document)
                continue
            }
            failures += 1
            #expect(stream.failureCodes == ["fileSystem", "120"])
            let cause = (stream.streamError as? QuireError)?.underlying
            #expect((cause as? POSIXError)?.code == .EIO)
            #expect(!stream.pour(Data("x".utf8)) && memory.writeCount == number)
            #expect(decrypting(memory.bytes).closeWithData() == nil)
        }
        #expect(failures == 4)  // header, a chunk, the rest, the tag
    }

    @Test(arguments: [1, 7, 100_000])
    func shortWritesOfTheWrappedStreamAreContinued(limit: Int) throws {
        let document = TestBytes.mixed(150_000)
        let memory = ScriptedOutputStream(limit: limit)
        let stream = try #require(
            AESCryptoOutputStream(outputStream: memory, passphrase: "correct horse"))
        stream.open()
        #expect(stream.pour(document))
        stream.close()
        #expect(try decrypt(memory.bytes, .word).data() == document)
    }

    @Test func aStreamThatTakesNothingIsFull() throws {
        let stream = try #require(
            AESCryptoOutputStream(outputStream: ScriptedOutputStream(limit: 0), passphrase: "x"))
        stream.open()
        #expect(stream.failureCodes == ["fileSystem", "120"])
    }
}
