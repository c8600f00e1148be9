public import Foundation
import Quire

/// The SDK's initialisers: the short way over a `FileDataProvider`.
///
/// They are optional as in the SDK, and never nil: what is wrong with the file or the secret is thrown by the first read.
/// The closures are called when the file is opened and at each save.
extension AESCryptoDataProvider {
    /// An encrypted file of the key form, whose one key is made of a passphrase and a salt.
    ///
    /// - Parameters:
    ///   - passphraseProvider: the passphrase, not empty; its UTF-8 bytes count.
    ///   - salt: its UTF-8 bytes count.
    ///   - rounds: of PBKDF2, 1...2^31 - 1; the SDK's own files have `defaultNumberOfPBKDFRounds`.
    public convenience init?(
        url: URL, passphraseProvider: @escaping @Sendable () -> String, salt: String, rounds: UInt
    ) {
        self.init(
            url: url, passphraseDataProvider: { Data(passphraseProvider().utf8) },
            salt: Data(salt.utf8), rounds: rounds)
    }

    /// The same with a passphrase and a salt of any bytes.
    public convenience init?(
        url: URL, passphraseDataProvider: @escaping @Sendable () -> Data, salt saltData: Data,
        rounds: UInt
    ) {
        self.init(
            FileDataProvider(fileURL: url),
            secret: .passphrase(passphraseDataProvider, salt: saltData, rounds: rounds))
    }

    /// An encrypted file of the password form, with its salts in its header.
    public convenience init?(
        url: URL, passphraseProvider: @escaping @Sendable () -> String
    ) {
        self.init(FileDataProvider(fileURL: url), secret: .passphrase(passphraseProvider))
    }

    /// An encrypted file of the key form, with 32 random bytes for its one key.
    public convenience init?(url: URL, binaryKeyProvider: @escaping @Sendable () -> Data) {
        self.init(FileDataProvider(fileURL: url), secret: .key(binaryKeyProvider))
    }

    /// Refuses: the layout that the SDK wrote before version 3.3 (2013) was never published.
    ///
    /// - Throws: always `unsupportedFeature`. Open such a file with the SDK and save it anew.
    public convenience init(
        legacyFileFormatURL url: URL, passphraseProvider: @escaping @Sendable () -> String
    ) throws {
        throw QuireError(
            .unsupportedFeature,
            "\(url.lastPathComponent): the legacy PSPDFKit layout (before 3.3) was never published and is not read"
        )
    }
}

/// The older name of `AESCryptoDataProvider`.
public typealias PSPDFAESCryptoDataProvider = AESCryptoDataProvider
/// The older name of `AESCryptoDataSink`.
public typealias PSPDFAESCryptoDataSink = AESCryptoDataSink
/// The older name of `Cryptor`.
public typealias PSPDFCryptor = Cryptor
/// The older name of `CryptoInputStream`.
public typealias PSPDFCryptoInputStream = CryptoInputStream
/// The older name of `CryptoOutputStream`.
public typealias PSPDFCryptoOutputStream = CryptoOutputStream
/// The older name of `AESCryptoInputStream`.
public typealias PSPDFAESCryptoInputStream = AESCryptoInputStream
/// The older name of `AESCryptoOutputStream`.
public typealias PSPDFAESCryptoOutputStream = AESCryptoOutputStream
