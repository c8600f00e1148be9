public import Foundation

/// What went wrong, where, and because of what.
///
/// Every error that Quire itself raises is of this type; an error of a foreign upstream provider passes
/// through the decorators untouched. Match a kind of error by its code:
///
/// ```swift
/// do { try provider.replaceContents(with: sink) } catch QuireError.Code.conflict { … }
/// ```
public struct QuireError: Error, Sendable {
    /// A kind of error. New codes may come with new versions, hence not an enumeration.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `damagedBlock`.
        public let description: String

        init(_ name: String) { description = name }

        /// The bytes are not a Quire store.
        public static let notAStore = Code("notAStore")
        /// The store is of a later format version than this library reads.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The store needs a feature that this library does not know.
        public static let unsupportedFeature = Code("unsupportedFeature")
        /// No whole footer was found: the store was cut off or its end is damaged.
        public static let damagedFooter = Code("damagedFooter")
        /// The index is damaged and could not be rebuilt from the members.
        public static let damagedIndex = Code("damagedIndex")
        /// A block does not hold what the index and its checksum say.
        public static let damagedBlock = Code("damagedBlock")
        /// The stored bytes end before they should.
        public static let truncated = Code("truncated")
        /// The bytes are no message of the RNCryptor format: they are not encrypted, or in another way.
        public static let notEncrypted = Code("notEncrypted")
        /// The message is of the form that takes a passphrase, and a key was given, or the reverse.
        public static let wrongKeyForm = Code("wrongKeyForm")
        /// The passphrase or key is wrong, or the encrypted bytes were altered: the two look the same.
        public static let authenticationFailed = Code("authenticationFailed")
        /// The crypto library refused or has no random bytes.
        public static let cryptoFailure = Code("cryptoFailure")
        /// Something that is not of this store follows its last footer.
        public static let foreignTail = Code("foreignTail")
        /// A value is beyond a limit of the format; nothing was changed.
        public static let limitExceeded = Code("limitExceeded")
        /// An argument is out of its range; nothing was changed.
        public static let invalidArgument = Code("invalidArgument")
        /// The provider or sink does not support the operation.
        public static let unsupportedOperation = Code("unsupportedOperation")
        /// The sink was not made by this provider.
        public static let foreignSink = Code("foreignSink")
        /// The provider refused the sink, and its older protocol cannot say why.
        public static let refusedSink = Code("refusedSink")
        /// The sink has not been finished (the SDK's 120).
        public static let unfinishedSink = Code("unfinishedSink")
        /// The sink was written to after it had been finished.
        public static let writeAfterFinish = Code("writeAfterFinish")
        /// The sink has been committed before.
        public static let spentSink = Code("spentSink")
        /// The contents have changed since the sink was made, or since they were opened, or another save is under
        /// way.
        public static let conflict = Code("conflict")
        /// The contents of a view are gone: its provider keeps one version only.
        public static let snapshotExpired = Code("snapshotExpired")
        /// The bytes are still being made or fetched (the SDK's 8600).
        public static let dataProviderIsInFlight = Code("dataProviderIsInFlight")
        /// The new contents are in place, but could not be made durable: a power cut may undo the save.
        public static let notDurable = Code("notDurable")
        /// The provider was closed to resolve a conflict.
        public static let closed = Code("closed")
        /// There is no file.
        public static let fileNotFound = Code("fileNotFound")
        /// The file system refused; `underlying` is the `POSIXError`.
        public static let fileSystem = Code("fileSystem")

        /// Lets a code be the pattern of a `catch` or `case`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? QuireError)?.code == code
        }
    }

    /// The kind of error.
    public var code: Code
    /// One lower-case line: the field, the value found, the value allowed.
    public var message: String
    /// The position in the stored bytes, if there is one.
    public var fileOffset: UInt64?
    /// The number of the damaged block, if there is one.
    public var blockNumber: Int?
    /// The cause, if there is another.
    public var underlying: (any Error)?
    /// The SDK's number, where the code alone does not have it.
    package var sdkNumber: Int?

    /// Makes an error.
    public init(
        _ code: Code, _ message: String, fileOffset: UInt64? = nil, blockNumber: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.fileOffset = fileOffset
        self.blockNumber = blockNumber
        self.underlying = underlying
    }

    package init(
        _ code: Code, _ message: String, underlying: (any Error)? = nil, sdkNumber: Int
    ) {
        self.init(code, message, underlying: underlying)
        self.sdkNumber = sdkNumber
    }
}

extension QuireError {
    /// Whether it says that a store is damaged, not that something else went wrong.
    package var isDamage: Bool {
        switch code {
        case .damagedFooter, .damagedIndex, .damagedBlock, .truncated, .foreignTail: true
        default: false
        }
    }
}

extension QuireError: CustomStringConvertible, LocalizedError, CustomNSError {
    /// The message with where it happened.
    public var description: String {
        var text = message
        if let blockNumber { text += ", block \(blockNumber)" }
        if let fileOffset { text += ", at byte \(fileOffset) of the store" }
        return text
    }

    /// The same as `description`.
    public var errorDescription: String? { description }

    /// The domain of these errors as `NSError`.
    public static var errorDomain: String { "Quire" }

    /// The description and the cause: without these `NSError` has neither.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }

    /// The SDK's number where it has one: 8600 in flight, 120 unfinished sink, 11 no file, 108 cannot load; of crypto streams theirs.
    public var errorCode: Int {
        if let sdkNumber { return sdkNumber }
        return switch code {
        case .dataProviderIsInFlight: 8600
        case .unfinishedSink: 120
        case .fileNotFound: 11
        case .notAStore, .unsupportedVersion, .unsupportedFeature, .damagedFooter, .damagedIndex,
            .damagedBlock, .truncated, .foreignTail, .notEncrypted, .wrongKeyForm,
            .authenticationFailed:
            108
        default: 1
        }
    }
}
