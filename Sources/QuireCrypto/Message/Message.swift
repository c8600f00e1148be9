import Foundation
import Quire

/// The RNCryptor data format, version 3: header, AES-256-CBC ciphertext with PKCS #7 padding, HMAC-SHA-256 of both.
///
///     password form   03 01 | encryption salt 8 | HMAC salt 8 | IV 16 | ciphertext | HMAC 32
///     key form        03 00 | IV 16                                   | ciphertext | HMAC 32
///
/// The IV lies right in front of the ciphertext, so every block has its predecessor in front of it.
enum Message {
    static let version: UInt8 = 3
    static let blockSize = 16
    static let saltSize = 8
    static let tagSize = 32
    /// Rounds of PBKDF2 in the password form.
    static let rounds: Int32 = 10_000
    /// Bytes of a message that are held at once: a read of 64 KiB, the block in front of it included, is one of the upstream.
    static let chunkSize = 128 << 10

    enum Form: UInt8 {
        case key = 0
        case password = 1

        var headerSize: Int {
            2 + (self == .password ? 2 * Message.saltSize : 0) + Message.blockSize
        }
    }

    /// Bytes of ciphertext for a document: the padding has 1...16.
    static func ciphertextSize(of documentSize: UInt64) -> UInt64 {
        (documentSize / UInt64(blockSize) + 1) * UInt64(blockSize)
    }

    /// The padding in the last block: 1...16 bytes, each of which is their number (RFC 5652, section 6.3).
    static func paddingSize(of last: [UInt8]) throws -> Int {
        let count = Int(last.last ?? 0)
        guard 1...blockSize ~= count, last.suffix(count).allSatisfy({ $0 == count }) else {
            throw notGenuine
        }
        return count
    }

    static var notGenuine: QuireError {
        QuireError(
            .authenticationFailed,
            "the passphrase or key is wrong, or the encrypted bytes were altered")
    }
}

/// The bytes in front of the ciphertext.
struct MessageHeader {
    let form: Message.Form
    /// The salts, if there are any, and the IV.
    private let random: [UInt8]

    /// A header for a new message, unlike any other.
    init(new form: Message.Form) throws {
        self.form = form
        random = try Library.randomBytes(form.headerSize - 2)
    }

    /// The header of a stored message. One read.
    ///
    /// - Throws: `unsupportedVersion`, `notEncrypted`, `wrongKeyForm`, `truncated`.
    init(of stored: any DataProviding, expecting expected: Message.Form) throws {
        let count = Int(min(stored.size, UInt64(expected.headerSize)))
        let bytes = try stored.readBytes(count, at: 0)
        guard bytes.count >= 2 else {
            throw QuireError(
                .truncated, "the encrypted message has \(count) bytes: too few for its header")
        }
        switch bytes[0] {
        case Message.version: break
        case 1, 2, 4:
            throw QuireError(
                .unsupportedVersion,
                "the encrypted message is of RNCryptor version \(bytes[0]), only 3 is read",
                fileOffset: 0)
        default:
            throw QuireError(
                .notEncrypted,
                "the bytes are no RNCryptor message: they begin with \(bytes[0]), not with 3",
                fileOffset: 0)
        }
        guard let form = Message.Form(rawValue: bytes[1]) else {
            throw QuireError(
                .notEncrypted,
                "the options of the encrypted message are \(bytes[1]), known are 0 and 1",
                fileOffset: 1)
        }
        guard form == expected else {
            throw QuireError(
                .wrongKeyForm,
                form == .password
                    ? "the message was encrypted with a passphrase alone, not with a key or a salt"
                    : "the message was encrypted with a key, or a passphrase and a salt",
                fileOffset: 1)
        }
        guard bytes.count == form.headerSize else {
            throw QuireError(
                .truncated, "the encrypted message ends in its header, after \(count) bytes")
        }
        self.form = form
        random = Array(bytes.dropFirst(2))
    }

    var bytes: [UInt8] { [Message.version, form.rawValue] + random }
    var iv: [UInt8] { random.suffix(Message.blockSize) }
    /// Both empty in the key form.
    var encryptionSalt: [UInt8] { Array(random.dropLast(Message.blockSize).prefix(8)) }
    var authenticationSalt: [UInt8] { Array(random.dropLast(Message.blockSize).dropFirst(8)) }
}

/// Where the parts of a stored message lie.
struct MessageLayout {
    let ciphertext: Range<UInt64>
    /// Where the tag begins: everything in front of it is authenticated.
    var tagOffset: UInt64 { ciphertext.upperBound }

    /// - Throws: `truncated` if there cannot be a whole message of this size.
    init(_ form: Message.Form, storedSize: UInt64) throws {
        let (header, block) = (UInt64(form.headerSize), UInt64(Message.blockSize))
        let least = header + block + UInt64(Message.tagSize)
        guard storedSize >= least else {
            throw QuireError(
                .truncated,
                "the encrypted message has \(storedSize) bytes, the smallest has \(least)")
        }
        ciphertext = header..<storedSize - UInt64(Message.tagSize)
        let count = ciphertext.upperBound - header
        guard count % block == 0 else {
            throw QuireError(
                .truncated,
                "the ciphertext has \(count) bytes, not a multiple of 16: the message was cut off",
                fileOffset: ciphertext.upperBound)
        }
    }
}
