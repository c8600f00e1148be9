public import Foundation
public import Quire
import Synchronization

extension AESCryptoDataProvider: ReferencedDataProviding, NSSecureCoding {
    static let referenceKind = "aes"

    /// The upstream's reference and when the HMAC is checked; nothing of the secret.
    public func reference() throws -> DataProviderReference {
        DataProviderReference(
            kind: Self.referenceKind, options: ["authentication": authentication.rawValue],
            upstream: try DataProviderReference(to: upstream))
    }

    /// Lets references to encrypted documents be resolved, in stacks and archives, too: call it once at launch.
    ///
    /// - Parameter secret: what the document of a reference is encrypted with, as the application keeps it. The last one
    ///   that was given counts.
    public static func resolveReferences(
        with secret: @escaping @Sendable (DataProviderReference) throws -> AESCryptoSecret
    ) {
        secrets.withLock { $0 = secret }
        DataProviderReference.register(kind: referenceKind) { AESCryptoDataProvider(try Parts($0)) }
    }

    /// Archives hold the reference: no content and no key.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the reference.
    public func encode(with coder: NSCoder) { DataProviderReference.encode(self, with: coder) }

    /// Reads a reference. Nil if that cannot be done, as without `resolveReferences(with:)`; the decoder has the error.
    public convenience init?(coder: NSCoder) {
        let parts = DataProviderReference.decode(coder, kind: Self.referenceKind) { try Parts($0) }
        guard let parts else { return nil }
        self.init(parts)
    }

    private convenience init(_ parts: Parts) {
        self.init(parts.upstream, secret: parts.secret, authentication: parts.authentication)
    }

    private typealias Secrets = @Sendable (DataProviderReference) throws -> AESCryptoSecret
    private static let secrets = Mutex<Secrets?>(nil)

    /// What a reference leads to.
    private struct Parts {
        let upstream: any DataProviding & Sendable
        let secret: AESCryptoSecret
        let authentication: Authentication

        init(_ reference: DataProviderReference) throws {
            guard let upstream = reference.upstream,
                let authentication = Authentication(
                    rawValue: reference.options["authentication"] ?? "beforeFirstRead")
            else {
                throw QuireError(
                    .invalidArgument, "a reference to an encrypted document is not whole")
            }
            guard let secret = secrets.withLock({ $0 }) else {
                throw QuireError(
                    .unsupportedOperation,
                    "no secret: AESCryptoDataProvider.resolveReferences(with:) was not called")
            }
            self.upstream = try upstream.resolve()
            self.secret = try secret(reference)
            self.authentication = authentication
        }
    }
}
