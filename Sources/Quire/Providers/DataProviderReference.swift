public import Foundation
import Synchronization

/// How to find a provider's bytes again, after a relaunch: where they lie, and the providers around them.
///
/// It holds no content and no key. Files in the home folder are named relative to it, as an app's container moves. Write it down
/// as you like (it is `Codable`), or archive the provider itself: its `NSSecureCoding` is this.
public struct DataProviderReference: Codable, Hashable, Sendable {
    /// The kind of provider: `file`, `coordinated-file`, `compressed`, or one that was registered.
    public var kind: String
    /// The file, absolute or from `~/` on.
    public var path: String?
    /// What else the provider was made with.
    public var options: [String: String]
    // An array, as a structure cannot hold itself.
    private var upstreams: [DataProviderReference]

    /// A decorator's upstream.
    public var upstream: DataProviderReference? { upstreams.first }

    /// Makes a reference.
    public init(
        kind: String, path: String? = nil, options: [String: String] = [:],
        upstream: DataProviderReference? = nil
    ) {
        self.kind = kind
        self.path = path
        self.options = options
        upstreams = upstream.map { [$0] } ?? []
    }

    /// The file, in the home folder as it is now.
    ///
    /// - Throws: `invalidArgument` if the reference has none.
    public func fileURL() throws -> URL {
        guard let path, path.isAbsolutePath || path.hasPrefix("~/") else {
            throw QuireError(.invalidArgument, "a reference to a \(kind) provider has no path")
        }
        let isAtHome = path.hasPrefix("~/")
        return URL(fileURLWithPath: isAtHome ? NSHomeDirectory() + path.dropFirst(1) : path)
    }

    /// The provider that it refers to.
    ///
    /// - Throws: `invalidArgument` if the kind is not known or the reference is not whole; what opening the provider throws.
    public func resolve() throws -> any DataProviding & Sendable {
        guard depth <= Self.depthLimit else {
            throw QuireError(
                .invalidArgument, "a reference is deeper than \(Self.depthLimit) providers")
        }
        switch kind {
        case FileDataProvider.referenceKind: return FileDataProvider(fileURL: try fileURL())
        case CoordinatedFileDataProvider.referenceKind:
            return CoordinatedFileDataProvider(fileURL: try fileURL())
        case CompressedDataProvider.referenceKind:
            return CompressedDataProvider(try CompressedDataProvider.open(self))
        default:
            guard let make = Self.kinds.withLock({ $0[kind] }) else {
                throw QuireError(.invalidArgument, "no kind of provider is registered as '\(kind)'")
            }
            return try make(self)
        }
    }

    /// Lets references to a kind of provider of your own be resolved, in stacks, too.
    public static func register(
        kind: String,
        _ make: @escaping @Sendable (DataProviderReference) throws -> any DataProviding & Sendable
    ) {
        kinds.withLock { $0[kind] = make }
    }

    private typealias Maker =
        @Sendable (DataProviderReference) throws -> any DataProviding & Sendable
    private static let kinds = Mutex<[String: Maker]>([:])
}

/// A provider whose bytes can be found again by a reference.
public protocol ReferencedDataProviding: DataProviding {
    /// The reference to it.
    ///
    /// - Throws: `unsupportedOperation` if there is none: it, or its upstream, keeps its bytes in memory.
    func reference() throws -> DataProviderReference
}

extension DataProviderReference {
    /// The reference to a provider of any kind.
    ///
    /// - Throws: `unsupportedOperation` if it has none.
    public init(to provider: any DataProviding) throws {
        guard let referenced = provider as? any ReferencedDataProviding else {
            throw QuireError(
                .unsupportedOperation,
                "a \(type(of: provider)) has no bytes that a reference could name")
        }
        self = try referenced.reference()
    }

    // MARK: Archives

    private static let key = "QuireReference"
    private static let failureKey = "QuireFailure"
    /// More is not a reference. Deeper stacks than `depthLimit` are refused, too.
    private static let byteLimit = 65_536
    private static let depthLimit = 16

    /// Writes the reference to `provider` for `init(from:kind:)`; where it has none, why not.
    public static func encode(_ provider: any DataProviding, with coder: NSCoder) {
        // As bytes, never as objects: decoders trap on classes that they do not expect.
        do { put([UInt8](try JSONEncoder().encode(Self(to: provider))), key, coder) } catch {
            put([UInt8]("\(error)".utf8), failureKey, coder)
        }
    }

    /// Reads what `encode` wrote, for an `init?(coder:)`. Never traps: what is wrong becomes the decoder's error.
    ///
    /// - Parameters:
    ///   - kind: the kind that it has to be; nil for any.
    ///   - make: makes the provider.
    /// - Returns: nil if the archive is damaged or of another kind, or if the provider cannot be made.
    public static func decode<Provider>(
        _ coder: NSCoder, kind: String? = nil, _ make: (Self) throws -> Provider
    ) -> Provider? {
        do {
            guard let bytes = bytes(key, coder), bytes.count <= byteLimit else {
                let cause = bytes(failureKey, coder).map { String(decoding: $0, as: UTF8.self) }
                throw QuireError(.invalidArgument, cause ?? "the archive holds no reference")
            }
            let reference = try JSONDecoder().decode(Self.self, from: Data(bytes))
            guard kind == nil || reference.kind == kind, reference.depth <= depthLimit else {
                throw QuireError(
                    .invalidArgument, "the archive refers to a provider of kind \(reference.kind)")
            }
            return try make(reference)
        } catch {
            // Other policies take it for the end of the program.
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
            return nil
        }
    }

    /// How many providers are in it; counted no further than is too many.
    private var depth: Int {
        var (depth, reference) = (1, self)
        while let upstream = reference.upstream, depth <= Self.depthLimit {
            (depth, reference) = (depth + 1, upstream)
        }
        return depth
    }

    private static func put(_ bytes: [UInt8], _ key: String, _ coder: NSCoder) {
        // SAFETY: the coder copies the bytes during the call.
        unsafe bytes.withUnsafeBufferPointer {
            unsafe coder.encodeBytes($0.baseAddress, length: $0.count, forKey: key)
        }
    }

    private static func bytes(_ key: String, _ coder: NSCoder) -> [UInt8]? {
        guard coder.containsValue(forKey: key) else { return nil }
        // SAFETY: the bytes are copied while the coder lends them.
        #if canImport(Darwin)
            var count = 0
            return unsafe coder.decodeBytes(forKey: key, returnedLength: &count).map {
                unsafe Array(UnsafeBufferPointer(start: $0, count: count))
            }
        #else
            return unsafe coder.withDecodedUnsafeBufferPointer(forKey: key) {
                unsafe $0.map { unsafe Array($0) }
            }
        #endif
    }
}
