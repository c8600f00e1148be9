public import Foundation
public import Quire

/// A document that another provider holds as one encrypted message of the RNCryptor format, version 3.
///
/// A decorator: `AES(File)` keeps an encrypted file, `Compressed(AES(File))` one that is small and secret. The message is
/// opened at the first use and read as it was until a save through this provider, or `clearCache()`.
///
/// Opening asks for the passphrase, derives the keys and, before the first byte is served, authenticates the whole message:
/// one streaming pass over the stored bytes. A read then costs one upstream read for each 128 KiB, and decrypting what was
/// asked for. A wrong passphrase, and a message that was cut off or altered, serve nothing: reads throw, `size` is 0 and
/// `error` says why, until `clearCache()` or a save of a new document.
///
/// What a file's attacker can still do after it was opened: bytes that are changed in place from then on are decrypted unnoticed.
public final class AESCryptoDataProvider: NSObject, FileDataProviding, SnapshotProviding, Sendable {
    /// When the HMAC of a message is checked.
    public enum Authentication: String, Sendable {
        /// Once, before the first byte is served: the first use reads the whole message.
        case beforeFirstRead
        /// When `authenticate()` is called, and not before.
        ///
        /// **A risk.** Until then altered bytes are served as if they were genuine, and who can write to the file can flip
        /// chosen bits of the document (CBC does not hinder it) or cut it at a block. A wrong passphrase is noticed by the
        /// padding alone, in 255 of 256 cases. For documents that are too large to read twice, from places that nobody else
        /// writes to.
        case deferred
    }

    /// Rounds of PBKDF2 that the SDK's example passes: 10,000.
    public static var defaultNumberOfPBKDFRounds: UInt { UInt(Message.rounds) }

    /// `aes-` and the uid of the upstream.
    public let uid: String
    /// When the HMAC is checked.
    public let authentication: Authentication
    private let secret: AESCryptoSecret
    private let revisions: Revisions<MessageSnapshot>
    var upstream: any DataProviding & Sendable { revisions.upstream.provider }

    /// Refers to the message that `upstream` holds; an upstream without bytes is for a first save.
    ///
    /// - Parameters:
    ///   - upstream: the stored bytes.
    ///   - secret: what they are encrypted with, and will be by saves.
    ///   - authentication: when the HMAC is checked.
    public init(
        _ upstream: any DataProviding & Sendable, secret: AESCryptoSecret,
        authentication: Authentication = .beforeFirstRead
    ) {
        uid = "aes-" + upstream.uid
        self.secret = secret
        self.authentication = authentication
        revisions = Revisions(of: upstream) {
            try MessageSnapshot(opening: $0, with: secret, authentication: authentication)
        }
    }

    /// The encrypted file; nil over an upstream that is no file.
    public var fileURL: URL? { (upstream as? any FileDataProviding)?.fileURL }
    public var additionalOperationsSupported: DataProvidingAdditionalOperations {
        upstream.additionalOperationsSupported
    }
    public var canWrite: Bool { upstream.canWrite }
    /// False: pages of a secret document are not to be written to disk.
    public var useDiskCache: Bool { false }
    public var progress: Progress? { upstream.progress }
    public var error: (any Error)? { revisions.error }

    /// Bytes of the document; 0 if it cannot be opened (`error` says why). The first use opens it.
    public var size: UInt64 { (try? revisions.current())?.size ?? 0 }

    /// - Throws: `authenticationFailed`, `truncated`, `notEncrypted`, `unsupportedVersion`, `wrongKeyForm`,
    ///   `invalidArgument` if the secret is none, `cryptoFailure`; the upstream's errors.
    public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        var data = Data()
        try revisions.reading { data = try $0.readData(withSize: size, atOffset: offset) }
        return data
    }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try revisions.reading { try $0.read(into: &output, atOffset: offset) }
    }

    /// The whole document, of one save.
    public func data() throws -> Data { try readData(withSize: .max, atOffset: 0) }

    /// The present document; later saves do not change it.
    public func makeSnapshot() throws -> any DataProviding & Sendable { try revisions.current() }

    /// Checks the HMAC of the present message, whether or not that was done before. Reads all of it.
    ///
    /// - Throws: `authenticationFailed`; what opening and the upstream throw.
    public func authenticate() throws { try revisions.reading { try $0.authenticate() } }

    /// Makes a sink for a new message. An append rewrites the whole message, and never puts a decrypted byte on disk.
    ///
    /// - Throws: `conflict` if the upstream has been changed past this provider; if there is a message, what opening it
    ///   throws: one that this secret does not open is not replaced.
    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        try revisions.beginning(on: base) { base in
            let sink = try upstream.createDataSink(options: [])
            // The upstream's sink is made by now: what changes from here on is a conflict for the upstream.
            if let base, !(try base.isMessage(in: revisions.upstream.view())) {
                throw QuireError(.conflict, "the stored message was changed past this provider")
            }
            return AESCryptoDataSink(
                .success(.init(upstream: sink, base: base)), secret: secret, options: options,
                owner: self)
        }
    }

    /// Commits the upstream's sink; the new document is then read.
    public func replaceContents(with replacementDataSink: any DataSink) throws {
        guard let sink = replacementDataSink as? AESCryptoDataSink else { throw Self.foreignSink }
        if sink.owner == nil { return try adopt(sink) }
        guard sink.owner === self else { throw Self.foreignSink }
        try revisions.commit(on: sink.base) {
            try sink.spend()
        } adopt: { stored in
            guard let encryptor = sink.encryptor, encryptor.messageSize == stored.size else {
                return try revisions.open(stored)
            }
            return try MessageSnapshot(
                written: stored, form: encryptor.form, keys: encryptor.keys,
                documentSize: encryptor.documentSize)
        }
    }

    /// Deletes what the upstream refers to.
    public func deleteData() throws {
        try upstream.deleteData()
        revisions.forget()
    }

    /// Forgets the keys: the next use asks for the passphrase, and authenticates the message, again.
    public func clearCache() {
        upstream.clearCache()
        revisions.forget()
    }

    /// The message that a save continues; nil if there are no stored bytes yet.
    func base() throws -> MessageSnapshot? {
        do { return try revisions.current() } catch QuireError.Code.fileNotFound {
            return nil
        } catch {
            guard let stored = try? revisions.upstream.view(), stored.size == 0 else { throw error }
            return nil
        }
    }

    /// Takes over a sink that was made without a provider.
    private func adopt(_ sink: AESCryptoDataSink) throws {
        guard let staged = sink.staged else {
            // It has put its file in place when it was finished; the upstream knows whether it is its own.
            try upstream.replaceContents(with: sink.spend())
            return revisions.forget()
        }
        guard sink.uid == uid else { throw Self.foreignSink }
        _ = try sink.spend()
        let stored = try FileDataProvider(fileURL: staged.url).makeSnapshot()
        let document = try MessageSnapshot(opening: stored, with: secret)
        guard let own = try createDataSink(options: sink.options) as? AESCryptoDataSink else {
            return
        }
        try own.append(document)
        try own.close()
        try replaceContents(with: own)
    }

    private static var foreignSink: QuireError {
        QuireError(.foreignSink, "the sink was not made by this provider")
    }
}
