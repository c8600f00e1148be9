public import Foundation

/// Random-access reads over some bytes and, where it can be written, sinks that collect new ones.
///
/// The names, signatures and meanings are those of the Nutrient (PSPDFKit) iOS SDK. What every provider keeps,
/// and what the conformance suite of `QuireTesting` checks:
///
/// - A read is clamped to the document: at or past the end it is empty, across the end it is short, whatever
///   `offset + size` is. It never returns a byte that failed a check.
/// - Reads come from many threads at once, at any offset. There is no cursor.
/// - From `createDataSink(options:)` until `replaceContents(with:)` returns, every read gives the old bytes in
///   full; after it, the new ones. No read sees a mixture.
/// - A sink is used once: writing after it is finished, a sink of another provider, an unfinished or failed one, and one
///   whose base has changed since are errors by name, and the document is untouched. A dropped sink leaves nothing.
/// - Documents, appends and replacements of zero bytes are legal.
///
/// The protocol is not `Sendable`, so that classes written for the SDK conform as they are; all of Quire's own
/// providers are.
public protocol DataProviding: AnyObject {
    /// Bytes of the document as its reader sees it, not as it is stored. 0 when unknown.
    var size: UInt64 { get }

    /// Names the source, the same after a relaunch. Takes no lock.
    var uid: String { get }

    /// `.write` if sinks and `replaceContents(with:)` work. Default: `[]`.
    var additionalOperationsSupported: DataProvidingAdditionalOperations { get }

    /// The bytes `[offset, offset + size)`, clamped to the document.
    ///
    /// - Parameters:
    ///   - size: bytes wanted, 0 or more.
    ///   - offset: where in the document they begin; may be past its end.
    /// - Returns: owned bytes, fewer than `size` only where the document ends.
    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data

    /// Fills the free capacity of `output` from `offset` on, clamped to the document.
    ///
    /// Default: `readData(withSize:atOffset:)` and a copy. If it throws, what was appended to `output` is to be
    /// discarded.
    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws

    /// The whole document. Default: one read of `size` bytes.
    func data() throws -> Data

    /// Makes a sink for a new version of the document.
    ///
    /// - Parameter options: `[]` to replace the document, `.append` to continue it.
    /// - Throws: by default `unsupportedOperation`.
    func createDataSink(options: DataSinkOptions) throws -> any DataSink

    /// Commits a finished sink made by this provider. The one point at which contents change.
    ///
    /// - Throws: the cause of a failed sink; `foreignSink`, `unfinishedSink`, `writeAfterFinish`, `spentSink`,
    ///   `conflict`. The document is then as it was, unless the error is `notDurable`. By default
    ///   `unsupportedOperation`.
    func replaceContents(with replacementDataSink: any DataSink) throws

    /// Whether a commit can be made now. Default: whether `.write` is supported.
    var canWrite: Bool { get }

    /// Set while the bytes are still being made or fetched, and finished when each can be read. Default: nil.
    var progress: Progress? { get }

    /// The last error of a read of this object, nil after a good one; reads of its snapshots do not set it.
    /// Default: nil.
    var error: (any Error)? { get }

    /// Deletes what the provider refers to. By default `unsupportedOperation`.
    func deleteData() throws

    /// Drops cached bytes and returns to the initial state: what is now stored is opened anew. Default: nothing.
    func clearCache()

    /// Whether rendered pages may be kept on disk. Default: true.
    var useDiskCache: Bool { get }
}

/// What a provider can do beyond reading. The raw values are the SDK's.
public struct DataProvidingAdditionalOperations: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Sinks can be made and committed.
    public static let write = Self(rawValue: 0x01)
}

/// A provider whose bytes are a local file's.
public protocol FileDataProviding: DataProviding {
    /// The file that holds the stored bytes; nil only while the provider is in flight.
    var fileURL: URL? { get }
}

/// A provider that can hand out an unchanging view of its present contents.
///
/// A decorator over such a provider reads one version of the stored bytes throughout, whatever is committed
/// meanwhile. Over any other it has to hold readers back while a commit is under way.
public protocol SnapshotProviding: DataProviding {
    /// The present contents, unaffected by later commits. O(1).
    func makeSnapshot() throws -> any DataProviding & Sendable
}

extension DataProviding {
    public var additionalOperationsSupported: DataProvidingAdditionalOperations { [] }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let wanted = output.freeCapacity
        let data = try readData(withSize: UInt64(wanted), atOffset: offset)
        guard data.count <= wanted else {
            throw QuireError(
                .invalidArgument, "a provider returned \(data.count) bytes for \(wanted) asked")
        }
        output.append(copying: data.bytes)
    }

    public func data() throws -> Data {
        if let progress, !progress.isFinished { throw QuireError.inFlight }
        return try readData(withSize: size, atOffset: 0)
    }

    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        throw QuireError(.unsupportedOperation, "\(type(of: self)) cannot be written")
    }

    public func replaceContents(with replacementDataSink: any DataSink) throws {
        throw QuireError(.unsupportedOperation, "\(type(of: self)) cannot be written")
    }

    public var canWrite: Bool { additionalOperationsSupported.contains(.write) }
    public var progress: Progress? { nil }
    public var error: (any Error)? { nil }

    public func deleteData() throws {
        throw QuireError(.unsupportedOperation, "\(type(of: self)) cannot be deleted")
    }

    public func clearCache() {}
    public var useDiskCache: Bool { true }
}

extension QuireError {
    static let inFlight = QuireError(
        .dataProviderIsInFlight, "the data provider is in flight: its bytes are not complete yet")
}
