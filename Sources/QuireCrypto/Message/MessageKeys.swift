import Foundation
import Quire

/// The two keys of a message.
struct MessageKeys: Sendable {
    static let keySize = 32

    let encryption: SecretBytes
    let authentication: SecretBytes

    init(encryption: SecretBytes, authentication: SecretBytes) throws {
        for key in [encryption, authentication] where key.count != Self.keySize {
            throw QuireError(.invalidArgument, "a key has \(key.count) bytes, AES-256 takes 32")
        }
        (self.encryption, self.authentication) = (encryption, authentication)
    }

    /// One key for both purposes, as the SDK's key form has it.
    init(both key: SecretBytes) throws { try self.init(encryption: key, authentication: key) }

    /// The keys of the password form.
    init(passphrase: Data, header: MessageHeader) throws {
        func key(_ salt: [UInt8]) throws -> SecretBytes {
            try Self.derive(from: passphrase, salt: Data(salt), rounds: UInt(Message.rounds))
        }
        try self.init(
            encryption: key(header.encryptionSalt), authentication: key(header.authenticationSalt))
    }

    /// - Throws: `invalidArgument` if there is no passphrase or the rounds are out of range.
    static func derive(
        from passphrase: Data, salt: Data, rounds: UInt, digest: Digest = .sha1
    ) throws -> SecretBytes {
        guard !passphrase.isEmpty else {
            throw QuireError(.invalidArgument, "the passphrase is empty")
        }
        guard rounds > 0, let rounds = Int32(exactly: rounds) else {
            throw QuireError(
                .invalidArgument, "PBKDF2 has \(rounds) rounds, allowed are 1...2147483647")
        }
        return try Library.deriveKey(
            password: passphrase.bytes, salt: salt.bytes, rounds: rounds, digest: digest)
    }
}
