public import Foundation
import Quire

/// Encrypts and decrypts whole files, in the forms that `AESCryptoDataProvider` reads at any offset.
///
/// The target is put in place in one step when all of it is there; if anything is thrown it is as it was. Memory: some
/// chunks of 128 KiB, whatever the files' sizes.
public final class Cryptor: Sendable {
    /// Makes a cryptor; it has no state.
    public init() {}

    /// A key for the key form: PBKDF2 with HMAC-SHA-1, 10,000 rounds, 32 bytes.
    ///
    /// - Parameters:
    ///   - passphrase: not empty; its UTF-8 bytes count.
    ///   - salt: its UTF-8 bytes count.
    /// - Throws: `invalidArgument` if the passphrase is empty, `cryptoFailure`. The SDK's does not throw: it has no answer but a key. A
    ///   key that is made of nothing opens for everybody, so here there is none.
    public func key(fromPassphrase passphrase: String, salt: String) throws -> Data {
        try MessageKeys.derive(
            from: Data(passphrase.utf8), salt: Data(salt.utf8), rounds: UInt(Message.rounds)
        ).data
    }

    /// A key as it was before version 3.3 of the SDK: PBKDF2 with HMAC-SHA-256, 50,000 rounds, 32 bytes.
    ///
    /// - Throws: as `key(fromPassphrase:salt:)`, for the same reason.
    public func legacyKey(fromPassphrase passphrase: String, salt: String) throws -> Data {
        try MessageKeys.derive(
            from: Data(passphrase.utf8), salt: Data(salt.utf8), rounds: 50_000, digest: .sha256
        ).data
    }

    /// Encrypts a file in the key form, with one key of 32 random bytes for both purposes.
    ///
    /// - Throws: `invalidArgument` if the key has another size; `fileNotFound`, `fileSystem`, `cryptoFailure`.
    public func encrypt(from source: URL, to target: URL, key: Data) throws {
        try encrypt(source, target, .key { key })
    }

    /// Encrypts a file in the password form.
    ///
    /// - Throws: `invalidArgument` if the passphrase is empty; `fileNotFound`, `fileSystem`, `cryptoFailure`.
    public func encrypt(from source: URL, to target: URL, passphrase: String) throws {
        try encrypt(source, target, .passphrase { passphrase })
    }

    /// Decrypts a file of the key form, once all of it is authenticated.
    ///
    /// - Throws: what `AESCryptoDataProvider.readData(withSize:atOffset:)` does; `fileSystem`.
    public func decrypt(from source: URL, to target: URL, key: Data) throws {
        try decrypt(source, target, .key { key })
    }

    /// Decrypts a file of the password form, once all of it is authenticated.
    ///
    /// - Throws: what `AESCryptoDataProvider.readData(withSize:atOffset:)` does; `fileSystem`.
    public func decrypt(from source: URL, to target: URL, passphrase: String) throws {
        try decrypt(source, target, .passphrase { passphrase })
    }

    private func encrypt(_ source: URL, _ target: URL, _ secret: AESCryptoSecret) throws {
        let document = try FileDataProvider(fileURL: source).makeSnapshot()
        let sink = try AESCryptoDataSink(FileDataSink(fileURL: target), secret: secret)
        try sink.append(document)
        try sink.close()
    }

    private func decrypt(_ source: URL, _ target: URL, _ secret: AESCryptoSecret) throws {
        let document = try MessageSnapshot(
            opening: FileDataProvider(fileURL: source).makeSnapshot(), with: secret)
        let sink = try FileDataSink(fileURL: target)
        var offset: UInt64 = 0
        while offset < document.size {
            let part = try document.readData(
                withSize: UInt64(Message.chunkSize), atOffset: offset)
            try sink.put(part)
            offset += UInt64(part.count)
        }
        try sink.close()
    }
}
