import Foundation
import Quire
import Synchronization

/// The document in a message as it was at one moment.
final class MessageSnapshot: Revision {
    let size: UInt64
    let uid = "message"
    private let stored: any DataProviding & Sendable
    private let layout: MessageLayout
    private let keys: MessageKeys
    private let decryptors = Mutex<[Decryptor]>([])

    /// Opens a message. Reads all of it if it is to be authenticated, else its header and its last block.
    ///
    /// - Throws: `truncated`, `notEncrypted`, `unsupportedVersion`, `wrongKeyForm`, `authenticationFailed`.
    init(
        opening stored: any DataProviding & Sendable, with secret: AESCryptoSecret,
        authentication: AESCryptoDataProvider.Authentication = .beforeFirstRead
    ) throws {
        let header = try MessageHeader(of: stored, expecting: secret.form)
        layout = try MessageLayout(secret.form, storedSize: stored.size)
        keys = try secret.keys(for: header)
        self.stored = stored
        // Encrypted, then authenticated: nothing is decrypted before it is known to be genuine.
        if authentication == .beforeFirstRead {
            try Self.authenticate(stored, layout, keys.authentication)
        }
        let decryptor = try Decryptor(key: keys.encryption)
        size = try Self.documentSize(stored, layout, decryptor)
        decryptors.withLock { $0.append(decryptor) }
    }

    /// A message that was just written with these keys.
    init(
        written stored: any DataProviding & Sendable, form: Message.Form, keys: MessageKeys,
        documentSize: UInt64
    ) throws {
        layout = try MessageLayout(form, storedSize: stored.size)
        (self.stored, self.keys, size) = (stored, keys, documentSize)
    }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try clampedData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let count = clampedCount(UInt64(output.freeCapacity), at: offset)
        guard count > 0 else { return }
        let decryptor =
            try decryptors.withLock({ $0.popLast() }) ?? Decryptor(key: keys.encryption)
        defer { decryptors.withLock { if $0.count < 16 { $0.append(decryptor) } } }
        try output.append(upTo: count) {
            try decryptor.read(
                count, at: offset, of: stored, ciphertextAt: layout.ciphertext.lowerBound,
                into: &$0)
        }
    }

    /// Reads the whole message and compares its tag.
    func authenticate() throws { try Self.authenticate(stored, layout, keys.authentication) }

    func isSame(as other: MessageSnapshot) throws -> Bool { try isMessage(in: other.stored) }

    /// Whether these stored bytes are the same message: its tag depends on every byte of it.
    func isMessage(in other: any DataProviding) throws -> Bool {
        guard other.size == stored.size else { return false }
        let tag = try stored.readBytes(Message.tagSize, at: layout.tagOffset)
        return try other.readBytes(Message.tagSize, at: layout.tagOffset) == tag
    }

    private static func authenticate(
        _ stored: any DataProviding, _ layout: MessageLayout, _ key: SecretBytes
    ) throws {
        let authenticator = try Library.Authenticator(key: key)
        let buffer = AlignedBuffer(capacity: Message.chunkSize)
        var position: UInt64 = 0
        while position < layout.tagOffset {
            let count = Int(min(layout.tagOffset - position, UInt64(buffer.capacity)))
            try buffer.fill(upTo: count) { try stored.readAll(into: &$0, at: position) }
            try buffer.withBytes { try authenticator.update($0) }
            position += UInt64(count)
        }
        let tag = try stored.readBytes(Message.tagSize, at: layout.tagOffset)
        guard Library.areEqual(tag, try authenticator.finish()) else { throw Message.notGenuine }
    }

    /// The ciphertext less the padding.
    private static func documentSize(
        _ stored: any DataProviding, _ layout: MessageLayout, _ decryptor: Decryptor
    ) throws -> UInt64 {
        let ciphertextSize = layout.ciphertext.upperBound - layout.ciphertext.lowerBound
        let buffer = AlignedBuffer(capacity: Message.blockSize)
        try buffer.fill(upTo: Message.blockSize) {
            try decryptor.read(
                Message.blockSize, at: ciphertextSize - UInt64(Message.blockSize), of: stored,
                ciphertextAt: layout.ciphertext.lowerBound, into: &$0)
        }
        return ciphertextSize - UInt64(try Message.paddingSize(of: [UInt8](buffer.data)))
    }
}
