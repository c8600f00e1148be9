public import Foundation
import Quire

/// Encrypts what is written to it, as one message of the password form, into another stream.
///
/// `open()` writes the header, with fresh random salts and a fresh IV, `close()` the last block and the tag: a stream that is let
/// go without it, or that failed, leaves a message that no reader takes for whole. No bytes at all are a message, too (82
/// bytes). Memory: two chunks of 128 KiB.
///
/// ```swift
/// stream.open()
/// stream.write(bytes, maxLength: bytes.count)
/// stream.close()
/// guard stream.streamStatus == .closed else { throw stream.streamError … }
/// ```
///
/// | code as `NSError` | what | code of the `QuireError` |
/// |---|---|---|
/// | 100 | the passphrase is empty, or the library cannot encrypt | `invalidArgument`, `cryptoFailure` |
/// | 120 | the wrapped stream failed (`underlying`) or is full | `fileSystem` |
/// | 170 | the library cannot encrypt the end | `cryptoFailure` |
public final class AESCryptoOutputStream: CryptoOutputStream {
    private var passphrase: String
    private var encryptor: Encryptor?

    /// Wraps a stream. Optional as in the SDK, and never nil.
    ///
    /// - Parameters:
    ///   - outputStream: opened and closed with this one; the message is all that it should get.
    ///   - passphrase: not empty, or `open()` fails; its UTF-8 bytes count. It is let go when the stream is opened.
    public init?(outputStream: OutputStream, passphrase: String) {
        self.passphrase = passphrase
        super.init(wrapping: outputStream)
    }

    #if !canImport(Darwin)
        /// A stream without a passphrase, which cannot be opened: Foundation wants this initialiser of every stream.
        public required init(toMemory: ()) {
            passphrase = ""
            super.init(toMemory: ())
        }
    #endif

    /// Opens the wrapped stream, derives the keys and writes the header.
    public override func open() {
        guard life.status == .notOpen else { return }
        super.open()
        _ = life.run {
            let (word, upstream) = (passphrase, upstream)
            encryptor = try numbered(100) {
                try Encryptor(with: .passphrase { word }) { try upstream.put($0) }
            }
            return 0
        }
        passphrase = ""
    }

    /// Encrypts these bytes; chunks of 128 KiB are written. `encryptionBlock` is not called.
    ///
    /// - Returns: `len`; -1 if the stream failed or is not open.
    public override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard len > 0 else { return 0 }
        return life.run {
            // SAFETY: the caller vouches for `len` bytes.
            let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: len).bytes
            try numbered(100) { try encryptor?.append(bytes) }
            return len
        }
    }

    /// Writes the last block and the tag, and closes the wrapped stream: look at `streamStatus` afterwards, which is `error` if
    /// the message is not whole. A second call does nothing; without `open()` nothing is written.
    public override func close() {
        _ = life.run {
            try numbered(170) { try encryptor?.finish() }
            return 0
        }
        encryptor = nil
        super.close()
    }
}
