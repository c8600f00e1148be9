public import Foundation

/// Collects the bytes of a new version: `write` many times, `finish` once. It never touches the live bytes.
///
/// A sink has one writer at a time. As in the SDK its members return `Bool`; the cause of a failure is kept
/// and thrown by `replaceContents(with:)`.
public protocol DataSink: AnyObject {
    /// True once `finish()` has been called.
    var isFinished: Bool { get }

    /// The options that the sink was made with.
    var options: DataSinkOptions { get }

    /// Appends these bytes.
    ///
    /// - Returns: false if they could not be taken; the save has then failed.
    func write(_ data: Data) -> Bool

    /// Says that no more bytes come, and flushes what is held back.
    ///
    /// - Returns: false if the save has failed.
    func finish() -> Bool
}

/// How a sink relates to the present contents. The raw values are the SDK's.
public struct DataSinkOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The bytes written follow the present contents; without it they replace them.
    public static let append = Self(rawValue: 0x01)
}

/// A sink that can promise an order of what it makes durable, and tell why it failed.
public protocol OrderedDataSink: DataSink {
    /// Everything written before must be durable before anything written after becomes visible.
    ///
    /// - Returns: false if the save has failed.
    func barrier() -> Bool

    /// Of an append sink, before the first write: the new bytes continue the first `size` bytes of the contents, and the
    /// rest of these is removed by the commit.
    ///
    /// - Returns: false if this sink cannot do it.
    func discardBase(beyond size: UInt64) -> Bool

    /// Why the sink failed; nil if it has not.
    var failure: (any Error)? { get }
}

extension DataSink {
    /// `write`, or the cause of its failure.
    package func put(_ data: Data) throws { if !write(data) { throw cause } }

    /// `finish`, or the cause of its failure.
    package func close() throws { if !finish() { throw cause } }

    private var cause: any Error {
        (self as? any OrderedDataSink)?.failure
            ?? QuireError(.fileSystem, "the sink (\(type(of: self))) failed without saying why")
    }
}

/// The part of a sink's life that all of Quire's sinks share: once finished or failed, it stays so.
package struct SinkLife {
    package private(set) var isFinished = false
    private(set) var isSpent = false
    package private(set) var failure: (any Error)?

    package init() {}

    /// Runs one step of writing; a failure is kept, and every later step fails.
    package mutating func step(_ body: () throws -> Void) -> Bool {
        if failure == nil, isFinished {
            failure = QuireError(.writeAfterFinish, "the sink was written to after it was finished")
        }
        guard failure == nil else { return false }
        do { try body() } catch { failure = error }
        return failure == nil
    }

    /// Runs the last step. A second call changes nothing and repeats the answer.
    package mutating func finish(_ body: () throws -> Void) -> Bool {
        if !isFinished {
            _ = step(body)
            isFinished = true
        }
        return failure == nil
    }

    /// Lets the sink be committed once, or throws why it cannot be.
    package mutating func spend() throws {
        if let failure { throw failure }
        guard isFinished else { throw QuireError(.unfinishedSink, "the sink is not finished") }
        guard !isSpent else { throw QuireError(.spentSink, "the sink was committed before") }
        isSpent = true
    }
}
