import Foundation
import Quire

/// Encrypts a document that comes in parts, and hands the message on in parts.
///
/// Memory: two chunks of 128 KiB.
final class Encryptor {
    let form: Message.Form
    let keys: MessageKeys
    private(set) var documentSize: UInt64 = 0
    private let output: (Data) throws -> Void
    private let cipher: Library.Cipher
    private let authenticator: Library.Authenticator
    private let held = AlignedBuffer(capacity: Message.chunkSize)
    private let ciphertext = AlignedBuffer(capacity: Message.chunkSize)

    /// Begins a message with salts and an IV of its own, and writes its header.
    init(with secret: AESCryptoSecret, output: @escaping (Data) throws -> Void) throws {
        let header = try MessageHeader(new: secret.form)
        form = header.form
        keys = try secret.keys(for: header)
        self.output = output
        cipher = try Library.Cipher(.encrypt, key: keys.encryption)
        // SAFETY: bytes have no padding.
        try unsafe cipher.begin(iv: header.iv.span.bytes)
        authenticator = try Library.Authenticator(key: keys.authentication)
        try write(Data(header.bytes))
    }

    /// Bytes of the whole message.
    var messageSize: UInt64 {
        UInt64(form.headerSize + Message.tagSize) + Message.ciphertextSize(of: documentSize)
    }

    func append(_ bytes: RawSpan) throws {
        var position = 0
        while position < bytes.byteCount {
            if held.count == held.capacity { try flush() }
            let count = min(held.capacity - held.count, bytes.byteCount - position)
            held.append(bytes.extracting(position..<position + count))
            position += count
        }
        documentSize += UInt64(bytes.byteCount)
    }

    /// Pads, writes the rest and the tag.
    func finish() throws {
        if held.count == held.capacity { try flush() }
        let count = Message.blockSize - held.count % Message.blockSize
        let padding = [UInt8](repeating: UInt8(count), count: count)
        // SAFETY: bytes have no padding.
        unsafe held.append(padding.span.bytes)
        try flush()
        try output(Data(authenticator.finish()))
    }

    /// Encrypts what is held, which is whole blocks.
    private func flush() throws {
        try ciphertext.fill(upTo: held.count) { output in
            try held.withBytes { try cipher.process($0, into: &output) }
        }
        held.removeAll()
        try write(ciphertext.data)
    }

    private func write(_ data: Data) throws {
        try authenticator.update(data.bytes)
        try output(data)
    }
}
