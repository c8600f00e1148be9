/// What the message format needs of a crypto library.
///
/// libcrypto and CommonCrypto each have one implementation; nothing else here knows of either.
protocol CryptoLibrary {
    associatedtype Cipher: BlockCipher
    associatedtype Authenticator: MessageAuthenticator

    /// PBKDF2 (RFC 8018, section 5.2) with HMAC: 32 bytes.
    ///
    /// - Parameter rounds: 1...2^31 - 1.
    static func deriveKey(
        password: RawSpan, salt: RawSpan, rounds: Int32, digest: Digest
    ) throws -> SecretBytes

    /// Fills the buffer with random bytes that nobody can guess.
    static func randomize(_ buffer: UnsafeMutableRawBufferPointer) throws

    /// Whether both are the same, in a time that does not depend on where they differ.
    static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool

    /// Overwrites the buffer, also where the compiler sees that it is not read again.
    static func wipe(_ buffer: UnsafeMutableRawBufferPointer)
}

/// AES-256 in CBC mode, without padding. Used by one thread at a time.
protocol BlockCipher: AnyObject, Sendable {
    /// - Parameter key: 32 bytes.
    init(_ direction: CipherDirection, key: SecretBytes) throws

    /// Begins a new chain with the 16 bytes of `iv`.
    func begin(iv: RawSpan) throws

    /// Continues the chain: appends as many bytes as `input` has, a multiple of 16 below 2^31.
    func process(_ input: RawSpan, into output: inout OutputRawSpan) throws
}

enum CipherDirection { case encrypt, decrypt }

enum Digest { case sha1, sha256 }

/// HMAC-SHA-256 of a message that comes in parts. Used by one thread at a time.
protocol MessageAuthenticator: AnyObject {
    /// - Parameter key: 32 bytes.
    init(key: SecretBytes) throws
    func update(_ bytes: RawSpan) throws
    /// The 32 bytes of the tag. Called once.
    func finish() throws -> [UInt8]
}

#if canImport(CommonCrypto)
    typealias Library = CommonCryptoLibrary
#else
    typealias Library = OpenSSL
#endif

extension CryptoLibrary {
    static func randomBytes(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // SAFETY: the buffer is the array's own, for the time of the call.
        try unsafe bytes.withUnsafeMutableBytes { try unsafe randomize($0) }
        return bytes
    }
}
