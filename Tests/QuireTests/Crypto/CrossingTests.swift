import Foundation
import QuireCrypto
import QuireTesting
import Testing

@testable import Quire

/// RNCryptor for Python, from where `Scripts/fetch-python.sh` puts it.
enum PythonRNCryptor {
    static let python = FormatTests.root.appendingPathComponent(".build/python/bin/python")
    static let isThere = (try? transform(Data(), "encrypt", "word")) != nil

    /// Encrypts or decrypts by it.
    static func transform(_ input: Data, _ direction: String, _ passphrase: String) throws -> Data {
        let program = """
            import sys, rncryptor
            class Binary(rncryptor.RNCryptor):
                def post_decrypt_data(self, data): return data[:-data[-1]]
            transform = getattr(Binary(), sys.argv[1])
            sys.stdout.buffer.write(transform(sys.stdin.buffer.read(), sys.argv[2]))
            """
        let result = try run(
            python.path, "-c", program, direction, passphrase, input: input)
        guard result.status == 0 else { throw CocoaError(.executableLoad) }
        return result.output
    }
}

@Suite(
    "Crossing with RNCryptor for Python",
    .enabled(if: PythonRNCryptor.isThere, "Scripts/fetch-python.sh could not fetch it"))
struct CrossingTests {
    static let sizes = [0, 1, 15, 16, 17, 4096, 65_535, 65_536, 300_001]
    static let passphrase = "grüße, 密码"

    @Test(arguments: sizes)
    func itOpensWhatQuireWrites(size: Int) throws {
        let document = TestBytes.mixed(size, seed: UInt64(size))
        let stored = try message(document, .passphrase { Self.passphrase })
        #expect(try PythonRNCryptor.transform(stored, "decrypt", Self.passphrase) == document)
    }

    @Test(arguments: sizes)
    func quireOpensWhatItWrites(size: Int) throws {
        let document = TestBytes.mixed(size, seed: UInt64(size))
        let stored = try PythonRNCryptor.transform(document, "encrypt", Self.passphrase)
        let provider = decrypt(stored, .passphrase { Self.passphrase })
        #expect(try provider.data() == document)
    }

    @Test func itOpensAStoreAfterAppends() throws {
        let upstream = DataContainerProvider(data: Data())
        let secret = AESCryptoSecret.passphrase { Self.passphrase }
        let provider = try CompressedDataProvider.create(
            in: AESCryptoDataProvider(upstream, secret: secret))
        var document = Data()
        for number in 0..<5 {
            let part = TestBytes.mixed(20_000, seed: UInt64(number))
            try provider.save(.append, part)
            document += part
        }
        let stored = try PythonRNCryptor.transform(upstream.data(), "decrypt", Self.passphrase)
        #expect(try gunzip(stored) == document)
    }
}
