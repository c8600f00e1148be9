public import Foundation
import Quire

/// Decrypts a message of the password form that another stream has, part by part.
///
/// ```swift
/// stream.open()
/// while case let count = stream.read(buffer, maxLength: size), count > 0 { … }
/// guard let rest = stream.closeWithData() else { throw stream.streamError … }
/// ```
///
/// **What a reader may do with bytes before the end.** The format has one HMAC, behind all the rest. A message of up to 128 KiB is
/// checked before its first byte is served. Of a longer one all but the end is served unchecked, as the SDK does: these bytes
/// may have been altered, or be noise under a wrong passphrase. Keep them where they can be thrown away (a temporary file, a
/// buffer) and act on none of them before `isAuthenticated`. The end, which is at least the last block, is served only
/// once the tag was found right: a message that was altered or cut off is never served whole, and its last read is -1.
/// What must not be served unchecked at all is for `AESCryptoDataProvider` or `Cryptor`.
///
/// As in the SDK the stream is closed with `closeWithData()`; otherwise it is an `InputStream` like others: buffers may have
/// any size (the SDK's first one has 98 bytes at least), `read` serves all of it and is then 0 (the SDK's fails with 150).
/// Memory: two chunks of 128 KiB.
///
/// | code as `NSError` | what | code of the `QuireError` |
/// |---|---|---|
/// | 110 | the header is not that of such a message | `notEncrypted`, `unsupportedVersion`, `wrongKeyForm`, `truncated` |
/// | 120 | `close()` before the tag was checked | `unsupportedOperation` |
/// | 130, 140 | the keys or the cipher cannot be made; its chain cannot begin | `invalidArgument`, `cryptoFailure` |
/// | 160, 170 | the library cannot decrypt; the last block has no padding | `cryptoFailure`, `authenticationFailed` |
/// | 180 | the tag cannot be checked: the message was cut off, or the library cannot | `truncated`, `cryptoFailure` |
/// | 190 | the tag is another: a wrong passphrase, or altered bytes | `authenticationFailed` |
///
/// An error of the wrapped stream is the `streamError` as it is.
public final class AESCryptoInputStream: CryptoInputStream {
    /// Whether the tag was checked and is right: all that was and will be read is genuine.
    public private(set) var isAuthenticated = false

    private var passphrase: String
    private var message: (cipher: Library.Cipher, authenticator: Library.Authenticator)?
    private let stored = AlignedBuffer(capacity: Message.chunkSize)
    private var storedSize: UInt64 = 0
    /// Stored bytes that are not decrypted before it is known what follows: less than two blocks and a tag.
    private let tail = AlignedBuffer(capacity: 2 * Message.blockSize + Message.tagSize)
    private let plaintext = AlignedBuffer(capacity: Message.chunkSize)
    /// What of the plaintext was not served yet.
    private var unread = 0..<0

    /// Wraps a stream.
    ///
    /// - Parameters:
    ///   - inputStream: opened and closed with this one; it ends with the message.
    ///   - passphrase: not empty, or the first read fails; its UTF-8 bytes count. It is let go at the first read.
    public init(inputStream: InputStream, passphrase: String) {
        self.passphrase = passphrase
        super.init(wrapping: inputStream)
    }

    /// Decrypts the next bytes. `decryptionBlock` is not called.
    ///
    /// - Parameter len: of any size; 0 and less read nothing.
    /// - Returns: the count of bytes, `len` or less; 0 at the end, when the tag was found right; -1 if the stream failed or is
    ///   not open. One chunk is read of the wrapped stream when there is nothing left of the last.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard len > 0 else { return 0 }
        return life.run {
            while unread.isEmpty {
                guard try decryptNext() else {
                    life.end()
                    return 0
                }
            }
            let count = min(len, unread.count)
            // SAFETY: the caller vouches for `len` bytes, and no more are copied.
            plaintext.withBytes { bytes in
                unsafe bytes.extracting(unread.lowerBound..<unread.lowerBound + count)
                    .withUnsafeBytes {
                        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
                            .copyMemory(from: $0)
                    }
            }
            unread = unread.lowerBound + count..<unread.upperBound
            return count
        }
    }

    /// False once all was read; until then a read has to be tried.
    public override var hasBytesAvailable: Bool {
        life.status == .open && !(isAuthenticated && unread.isEmpty)
    }

    /// Decrypts all that was not read, checks the tag and closes the wrapped stream.
    ///
    /// - Returns: the bytes that `read` has not served, in memory, as many as there are: none after a `read` of 0, and none at a
    ///   second call. Nil if the stream failed, now or before, or was not open: then nothing of the message is to be used.
    public func closeWithData() -> Data? {
        var rest = Data()
        _ = life.run {
            repeat {
                rest += plaintext.data[unread]
                unread = 0..<0
            } while try decryptNext()
            return 0
        }
        close()
        return isAuthenticated && life.error == nil ? rest : nil
    }

    /// Closes the wrapped stream.
    ///
    /// The SDK forbids it and throws an exception, as it leaves the bytes unchecked. Here, where it would end the process, it is
    /// harmless once `isAuthenticated`, and before that the error 120: the `streamStatus` is `error`.
    public override func close() {
        if !isAuthenticated {
            life.fail(
                QuireError(
                    .unsupportedOperation,
                    "close() before the end leaves a message unchecked: closeWithData() checks it",
                    sdkNumber: 120))
        }
        message = nil
        super.close()
    }

    /// Makes plaintext of the next chunk, which may be none of it.
    ///
    /// - Returns: false at the end.
    private func decryptNext() throws -> Bool {
        guard !isAuthenticated else { return false }
        var isLast = false
        try stored.fill(upTo: stored.capacity) { output in
            tail.withBytes { output.append(copying: $0) }
            isLast = try !upstream.fill(&output)
        }
        storedSize += UInt64(stored.count - tail.count)
        try stored.withBytes { bytes in
            let start = message == nil ? Message.Form.password.headerSize : 0
            let message = try self.message ?? begin(bytes)
            self.message = message
            let body = bytes.extracting(droppingFirst: start)
            if isLast {
                try finish(body, message.cipher, message.authenticator)
            } else {
                let heldBack = Message.blockSize + Message.tagSize
                let count = (body.byteCount - heldBack) / Message.blockSize * Message.blockSize
                let part = body.extracting(first: count)
                try numbered(180) { try message.authenticator.update(part) }
                try numbered(160) { try decrypt(part, message.cipher) }
                tail.removeAll()
                tail.append(body.extracting(droppingFirst: count))
            }
        }
        return true
    }

    /// Reads the header and derives the keys.
    private func begin(
        _ bytes: RawSpan
    ) throws -> (cipher: Library.Cipher, authenticator: Library.Authenticator) {
        let start = bytes.extracting(first: Message.Form.password.headerSize)
        let header = try numbered(110) {
            try MessageHeader(
                of: DataContainerProvider(data: Data(copying: start)), expecting: .password)
        }
        let made = try numbered(130) {
            let keys = try MessageKeys(passphrase: Data(passphrase.utf8), header: header)
            return (
                cipher: try Library.Cipher(.decrypt, key: keys.encryption),
                authenticator: try Library.Authenticator(key: keys.authentication)
            )
        }
        passphrase = ""
        // SAFETY: bytes have no padding.
        try numbered(140) { try unsafe made.cipher.begin(iv: header.iv.span.bytes) }
        try numbered(180) { try made.authenticator.update(start) }
        return made
    }

    /// Checks the tag, then decrypts what is left.
    private func finish(
        _ body: RawSpan, _ cipher: Library.Cipher, _ authenticator: Library.Authenticator
    ) throws {
        let tagSize = Message.tagSize
        let tag = try numbered(180) {
            _ = try MessageLayout(.password, storedSize: storedSize)
            try authenticator.update(body.extracting(droppingLast: tagSize))
            return try authenticator.finish()
        }
        guard Library.areEqual([UInt8](Data(copying: body.extracting(last: tagSize))), tag) else {
            try numbered(190) { throw Message.notGenuine }
            return
        }
        try numbered(170) {
            try decrypt(body.extracting(droppingLast: tagSize), cipher)
            let last = plaintext.withBytes { Data(copying: $0.extracting(last: Message.blockSize)) }
            unread = 0..<unread.upperBound - (try Message.paddingSize(of: [UInt8](last)))
        }
        isAuthenticated = true
    }

    private func decrypt(_ ciphertext: RawSpan, _ cipher: Library.Cipher) throws {
        try plaintext.fill(upTo: ciphertext.byteCount) { try cipher.process(ciphertext, into: &$0) }
        unread = 0..<plaintext.count
    }
}

extension Data {
    fileprivate init(copying bytes: RawSpan) {
        // SAFETY: the bytes are copied while they are there.
        self = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
    }
}
