public import Foundation
import Quire

/// What a document is encrypted with, and which form of message that makes.
///
/// The closures are called when a document is opened and at each save, so that what they return need not be kept; they
/// must not use the provider. Derived keys are kept while a document is open and overwritten when it is let go. A `String` or
/// `Data` that a closure returns is let go at once, but Swift does not overwrite it.
public struct AESCryptoSecret: Sendable {
    let form: Message.Form
    let keys: @Sendable (MessageHeader) throws -> MessageKeys

    /// Opens and makes messages with it.
    func keys(for header: MessageHeader) throws -> MessageKeys { try keys(header) }

    init(
        _ form: Message.Form, _ keys: @escaping @Sendable (MessageHeader) throws -> MessageKeys
    ) {
        self.form = form
        self.keys = keys
    }

    /// The password form: salts in the header, PBKDF2 with 10,000 rounds for each of two keys. What RNCryptor's own
    /// `encrypt(data:withPassword:)` makes.
    ///
    /// - Parameter provider: the passphrase, not empty; its UTF-8 bytes count.
    public static func passphrase(_ provider: @escaping @Sendable () -> String) -> Self {
        Self(.password) { try MessageKeys(passphrase: Data(provider().utf8), header: $0) }
    }

    /// The key form with one key for both purposes, made of a passphrase and a salt that the message does not hold.
    ///
    /// - Parameters:
    ///   - provider: the passphrase, not empty.
    ///   - salt: of any length.
    ///   - rounds: of PBKDF2, 1...2^31 - 1.
    public static func passphrase(
        _ provider: @escaping @Sendable () -> Data, salt: Data, rounds: UInt
    ) -> Self {
        Self(.key) { _ in
            try MessageKeys(
                both: MessageKeys.derive(from: provider(), salt: salt, rounds: rounds))
        }
    }

    /// The key form with one key for both purposes.
    ///
    /// - Parameter provider: 32 random bytes, not a passphrase.
    public static func key(_ provider: @escaping @Sendable () -> Data) -> Self {
        Self(.key) { _ in try MessageKeys(both: SecretBytes(copying: provider())) }
    }

    /// The key form as RNCryptor has it.
    ///
    /// - Parameter provider: 32 random bytes for AES, and 32 other ones for the HMAC.
    public static func keys(
        _ provider: @escaping @Sendable () -> (encryption: Data, authentication: Data)
    ) -> Self {
        Self(.key) { _ in
            let keys = provider()
            return try MessageKeys(
                encryption: SecretBytes(copying: keys.encryption),
                authentication: SecretBytes(copying: keys.authentication))
        }
    }
}
