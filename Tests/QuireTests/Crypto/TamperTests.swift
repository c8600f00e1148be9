import Foundation
import QuireCrypto
import QuireTesting
import Testing

@testable import Quire

@Suite("Altered messages")
struct TamperTests {
    static let forms: [(secret: AESCryptoSecret, headerSize: Int)] = [(.quick, 18), (.word, 34)]

    /// Checks that nothing of a message is served, by any way, and gives the one code that says why.
    static func refusal(_ message: Data, _ secret: AESCryptoSecret) throws -> QuireError.Code? {
        let provider = decrypt(message, secret)
        let first = code { _ = try provider.read(1, at: 0) }
        #expect(provider.size == 0)
        #expect((provider.error as? QuireError)?.code == first)
        #expect(code { _ = try provider.data() } == first)
        #expect(code { _ = try provider.makeSnapshot() } == first)
        #expect(code { try provider.authenticate() } == first)
        let buffer = AlignedBuffer(capacity: 100)
        let direct = code {
            try buffer.fill(upTo: 100) { try provider.read(into: &$0, atOffset: 0) }
        }
        #expect(direct == first && buffer.count == 0)
        return first
    }

    @Test(arguments: [0, 1])
    func everyFlippedByteIsNoticed(form: Int) throws {
        let (secret, headerSize) = Self.forms[form]
        let whole = try message(Data("thirty-five bytes of some document".utf8), secret)
        for index in whole.indices {
            for bit: UInt8 in index < headerSize ? [1, 0x80] : [1] {
                var altered = whole
                altered[index] ^= bit
                let expected: QuireError.Code =
                    switch (index, bit) {
                    case (0, 1): .unsupportedVersion
                    case (0, _), (1, 0x80): .notEncrypted
                    case (1, _): .wrongKeyForm
                    default: .authenticationFailed
                    }
                let found = try Self.refusal(altered, secret)
                #expect(found == expected, "byte \(index), bit \(bit)")
            }
        }
        #expect(try decrypt(whole, secret).data().count == 34)
    }

    @Test(arguments: [0, 1])
    func everyTruncationIsNoticed(form: Int) throws {
        let (secret, headerSize) = Self.forms[form]
        let whole = try message(TestBytes.mixed(70), secret)
        for count in 0..<whole.count {
            let isAligned = count >= headerSize + 48 && (count - headerSize - 32) % 16 == 0
            let found = try Self.refusal(whole.prefix(count), secret)
            #expect(found == (isAligned ? .authenticationFailed : .truncated), "\(count) bytes")
        }
        for extra in [1, 15, 16, 17, 32] {
            let found = try Self.refusal(whole + Data(count: extra), secret)
            #expect(found == (extra % 16 == 0 ? .authenticationFailed : .truncated))
        }
    }

    @Test func swappedBlocksAreNoticed() throws {
        var altered = try message(TestBytes.mixed(4096))
        let (first, second) = (altered[50..<66], altered[66..<82])
        altered.replaceSubrange(50..<82, with: second + first)
        #expect(try Self.refusal(altered, .quick) == .authenticationFailed)
    }

    @Test func aWrongSecretIsToldByName() throws {
        let secret = try message(Data("secret".utf8), .word)
        #expect(try Self.refusal(secret, .passphrase { "wrong horse" }) == .authenticationFailed)
        #expect(try Self.refusal(secret, .quick) == .wrongKeyForm)
        #expect(try Self.refusal(message(Data("secret".utf8)), .word) == .wrongKeyForm)
        #expect(try Self.refusal(message(Data("secret".utf8)), .wrongKey) == .authenticationFailed)
        // Composed and decomposed letters are other bytes: nothing is normalised.
        let composed = try message(Data("secret".utf8), .passphrase { "\u{fc}" })
        #expect(
            try Self.refusal(composed, .passphrase { "u\u{308}" }) == .authenticationFailed)
    }

    @Test func aSecretThatIsNoneIsAnInvalidArgument() throws {
        let secret = try message(Data("secret".utf8))
        for none in [
            AESCryptoSecret.key { Data(count: 31) }, .key { Data() },
            .keys { (Data(count: 32), Data(count: 33)) },
            .passphrase({ Data() }, salt: Data("salt".utf8), rounds: 1),
            .passphrase({ Data("word".utf8) }, salt: Data("salt".utf8), rounds: 0),
            .passphrase({ Data("word".utf8) }, salt: Data("salt".utf8), rounds: 1 << 31),
        ] {
            #expect(try Self.refusal(secret, none) == .invalidArgument)
            let sink = try AESCryptoDataSink(DataContainerSink(), secret: none)
            #expect(!sink.write(Data("x".utf8)) && !sink.finish())
            #expect((sink.failure as? QuireError)?.code == .invalidArgument)
        }
        let upstream = DataContainerProvider(data: Data())
        let provider = AESCryptoDataProvider(upstream, secret: .passphrase { "" })
        #expect(code { try provider.save([], Data("x".utf8)) } == .invalidArgument)
        #expect(upstream.size == 0)
    }

    @Test func whatIsNotEncryptedIsToldByName() throws {
        for bytes in [Data("%PDF-1.7\n%%EOF".utf8), try store(Data("x".utf8)), Data(count: 200)] {
            #expect(try Self.refusal(bytes, .quick) == .notEncrypted)
        }
        for version: UInt8 in [1, 2, 4] {
            var other = try message(Data("x".utf8))
            other[0] = version
            #expect(try Self.refusal(other, .quick) == .unsupportedVersion)
        }
    }

    @Test func whatASecretDoesNotOpenIsNotReplaced() throws {
        let stored = try message(Data("precious".utf8))
        let upstream = DataContainerProvider(data: stored)
        let provider = AESCryptoDataProvider(upstream, secret: .wrongKey)
        for options in [[], .append] as [DataSinkOptions] {
            #expect(
                code { _ = try provider.createDataSink(options: options) }
                    == .authenticationFailed)
        }
        // A store is made only where there is nothing; that the size is 0 must not pass for that.
        #expect(
            code { _ = try CompressedDataProvider.create(in: provider) } == .authenticationFailed)
        #expect(try upstream.data() == stored)
    }

    @Test func deferredAuthenticationServesAlteredBytesUntilItIsAskedFor() throws {
        let document = TestBytes.mixed(1000)
        var altered = try message(document)
        altered[18 + 32] ^= 1
        let provider = decrypt(altered, .quick, .deferred)
        // Block 2 is garbage, one bit of block 3 is flipped, the rest is as it was.
        #expect(try provider.read(32, at: 0) == document.prefix(32))
        #expect(try provider.read(1, at: 48) == Data([document[48] ^ 1]))
        #expect(try provider.read(900, at: 64) == document[64..<964])
        #expect(code { try provider.authenticate() } == .authenticationFailed)
        #expect(code { _ = try decrypt(altered).read(32, at: 0) } == .authenticationFailed)
        try decrypt(message(document), .quick, .deferred).authenticate()
    }

    @Test func deferredAWrongKeyIsMostlyNoticedByThePadding() throws {
        let refused = try (0..<200).filter { number in
            let stored = try message(Data([UInt8(number)]))
            return code { _ = try decrypt(stored, .wrongKey, .deferred).read(1, at: 0) }
                == .authenticationFailed
        }
        #expect(refused.count > 180)  // 199 are expected; fewer than 181 come once in 10^21 runs
    }

    @Test func deferredOpeningReadsTheHeaderAndTheLastBlocks() throws {
        let upstream = WatchedUpstream(try message(TestBytes.mixed(1 << 20)))
        let provider = AESCryptoDataProvider(
            upstream, secret: .quick, authentication: .deferred)
        #expect(provider.size == 1 << 20)
        #expect(upstream.counts.byteCount == 18 + 32 && upstream.counts.readCount == 2)
    }
}
