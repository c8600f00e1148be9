public import Foundation
public import Quire

/// Encrypts what is written to it, as one message, into a sink of stored bytes.
///
/// Each message has fresh random salts and a fresh IV. A sink for appending first copies the present document, decrypted and
/// encrypted anew chunk by chunk in memory, when it is first written to or finished. Memory: some chunks of 128 KiB.
///
/// Made by `AESCryptoDataProvider.createDataSink(options:)`, or on its own over any sink:
///
/// ```swift
/// let file = try AESCryptoDataSink(FileDataSink(fileURL: url), secret: .passphrase { passphrase })
/// let sink = try CompressedDataSink(file)
/// ```
public final class AESCryptoDataSink: OrderedDataSink {
    /// The options that the sink was made with.
    public let options: DataSinkOptions
    let owner: AESCryptoDataProvider?
    /// The uid of the provider that a sink of its own is for.
    let uid: String?
    private let secret: AESCryptoSecret
    private let ends: Result<Ends, any Error>
    private var keptBaseSize: UInt64?
    private(set) var encryptor: Encryptor?
    private var life = SinkLife()

    /// Where the message goes, and the document that the save was begun on.
    struct Ends {
        let upstream: any DataSink
        let base: MessageSnapshot?
    }

    /// Makes a sink that writes a new message.
    ///
    /// - Parameter upstream: an empty sink for the stored bytes; finished with this one.
    /// - Throws: `invalidArgument` if `upstream` is for appending.
    public convenience init(_ upstream: any DataSink, secret: AESCryptoSecret) throws {
        guard !upstream.options.contains(.append) else {
            throw QuireError(
                .invalidArgument, "a new message cannot be written to a sink that appends")
        }
        let ends = Ends(upstream: upstream, base: nil)
        self.init(.success(ends), secret: secret, options: [], owner: nil)
    }

    /// Makes a sink that writes an encrypted file on its own: `finish()` puts the message in place, in one step.
    ///
    /// What is wrong with the file or the passphrase is the `failure` of the first write.
    ///
    /// - Parameters:
    ///   - fileURL: the file; with `.append` it is one that the same passphrase opens, or there is none.
    ///   - passphraseProvider: the passphrase, not empty. The message has the password form.
    ///   - options: `[]` for a new document, `.append` to continue the present one.
    public convenience init(
        url fileURL: URL, passphraseProvider: @escaping @Sendable () -> String,
        options: DataSinkOptions = []
    ) {
        let secret = AESCryptoSecret.passphrase(passphraseProvider)
        let ends = Result {
            let upstream = try FileDataSink(fileURL: fileURL)
            let present = AESCryptoDataProvider(FileDataProvider(fileURL: fileURL), secret: secret)
            return Ends(
                upstream: upstream, base: options.contains(.append) ? try present.base() : nil)
        }
        self.init(ends, secret: secret, options: options, owner: nil)
    }

    /// Makes a sink for the provider with this `uid`, which takes it in `replaceContents(with:)`.
    ///
    /// The message waits in a file in the temporary folder, encrypted with this passphrase, which must be the provider's; the
    /// file is removed with the sink. A sink that the provider makes itself writes each byte only once.
    public convenience init(
        uid UID: String, passphraseProvider: @escaping @Sendable () -> String,
        options: DataSinkOptions = []
    ) {
        let file = StagedMessage()
        let ends = Result { Ends(upstream: try FileDataSink(fileURL: file.url), base: nil) }
        self.init(
            ends, secret: .passphrase(passphraseProvider), options: options, owner: nil, uid: UID,
            staged: file)
    }

    /// The file that a sink made for a uid fills.
    let staged: StagedMessage?

    init(
        _ ends: Result<Ends, any Error>, secret: AESCryptoSecret, options: DataSinkOptions,
        owner: AESCryptoDataProvider?, uid: String? = nil, staged: StagedMessage? = nil
    ) {
        self.ends = ends
        self.secret = secret
        self.options = options
        self.owner = owner
        self.uid = uid
        self.staged = staged
    }

    /// Whether `finish()` has been called.
    public var isFinished: Bool { life.isFinished }
    /// Why the sink failed; nil if it has not.
    public var failure: (any Error)? { life.failure }

    /// Encrypts these bytes.
    public func write(_ data: Data) -> Bool { life.step { try begun().append(data.bytes) } }

    /// Encrypts all of a document, chunk by chunk.
    func append(_ document: any DataProviding) throws {
        let isDone = life.step { try begun().append(document, upTo: document.size) }
        if !isDone, let failure { throw failure }
    }

    /// Writes the last block and the tag, and finishes the upstream sink.
    public func finish() -> Bool {
        life.finish {
            try begun().finish()
            try ends.get().upstream.close()
        }
    }

    /// Nothing to do: a message becomes visible in one step.
    public func barrier() -> Bool { life.step {} }

    /// Cuts the present document, before the first write of an append.
    public func discardBase(beyond size: UInt64) -> Bool {
        guard options.contains(.append), encryptor == nil,
            let base = try? ends.get().base, size <= base.size
        else { return false }
        return life.step { keptBaseSize = size }
    }

    /// The upstream's sink, for the one commit.
    func spend() throws -> any DataSink {
        try life.spend()
        return try ends.get().upstream
    }

    var base: MessageSnapshot? { try? ends.get().base }

    /// The encryptor, which has the present document behind it in an append.
    private func begun() throws -> Encryptor {
        if let encryptor { return encryptor }
        let ends = try ends.get()
        let encryptor = try Encryptor(with: secret) { try ends.upstream.put($0) }
        self.encryptor = encryptor
        if options.contains(.append), let base = ends.base {
            do {
                try encryptor.append(base, upTo: keptBaseSize ?? base.size)
                // A new tag must not make altered bytes genuine, whenever they were altered.
                try base.authenticate()
            } catch QuireError.Code.snapshotExpired {
                throw QuireError(.conflict, "the document was changed since this save began")
            }
        }
        return encryptor
    }
}

extension Encryptor {
    /// Appends the first `size` bytes of a document.
    func append(_ document: any DataProviding, upTo size: UInt64) throws {
        let buffer = AlignedBuffer(capacity: Message.chunkSize)
        var position: UInt64 = 0
        while position < size {
            let count = Int(min(size - position, UInt64(buffer.capacity)))
            try buffer.fill(upTo: count) { try document.readAll(into: &$0, at: position) }
            try buffer.withBytes { try append($0) }
            position += UInt64(count)
        }
    }
}

/// A file in the temporary folder, removed with its owner.
final class StagedMessage: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("quire-\(UUID().uuidString).aes")

    deinit { try? FileManager.default.removeItem(at: url) }
}
