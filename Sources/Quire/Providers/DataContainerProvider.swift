public import Foundation
import Synchronization

/// A document in memory. Saves change the memory and nothing else.
public final class DataContainerProvider: SnapshotProviding, Sendable {
    /// Digest of all the bytes it was made with: O(n), once.
    public let uid: String
    /// Set if the bytes are still being made; until it is finished every access fails with `dataProviderIsInFlight`.
    public let progress: Progress?
    private let contents: Mutex<DataSnapshot>

    /// Holds `data`, which may be of any kind and a slice.
    public init(data: Data, progress: Progress? = nil) {
        uid = "data-" + ContentDigest.hex(of: data)
        self.progress = progress
        contents = Mutex(DataSnapshot(data))
    }

    public var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }

    public var size: UInt64 { isInFlight ? 0 : current.size }

    public func data() throws -> Data {
        try failIfInFlight()
        return current.contents
    }

    public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try failIfInFlight()
        return try current.readData(withSize: size, atOffset: offset)
    }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try failIfInFlight()
        try current.read(into: &output, atOffset: offset)
    }

    /// The present contents; later saves do not change them.
    public func makeSnapshot() throws -> any DataProviding & Sendable {
        try failIfInFlight()
        return current
    }

    /// Makes a sink; one for appending begins with the present contents.
    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        let base = current
        let seed = options.contains(.append) && !isInFlight ? base.contents : nil
        return DataContainerSink(data: seed, options: options, owner: self, base: base)
    }

    /// Takes all of the sink's data for the new contents.
    public func replaceContents(with replacementDataSink: any DataSink) throws {
        try failIfInFlight()
        guard let sink = replacementDataSink as? DataContainerSink,
            sink.owner == nil || sink.owner === self
        else { throw QuireError(.foreignSink, "the sink was not made by this provider") }
        let (base, replacement) = (sink.base, try sink.spend())
        try contents.withLock {
            guard base == nil || base === $0 else {
                throw QuireError(.conflict, "the data was changed since this save began")
            }
            $0 = replacement
        }
    }

    /// Makes the document empty.
    public func deleteData() throws {
        try failIfInFlight()
        contents.withLock { $0 = DataSnapshot(Data()) }
    }

    private var current: DataSnapshot { contents.withLock { $0 } }
    private var isInFlight: Bool { progress.map { !$0.isFinished } ?? false }
    private func failIfInFlight() throws { if isInFlight { throw QuireError.inFlight } }
}

/// Collects the bytes of a save in memory.
public final class DataContainerSink: OrderedDataSink {
    /// The initial contents and what was written since.
    public private(set) var data: Data
    /// The options that the sink was made with.
    public let options: DataSinkOptions
    let owner: DataContainerProvider?
    let base: DataSnapshot?
    private var life = SinkLife()

    /// Makes a sink of its own that begins with `data`; any `DataContainerProvider` takes it.
    public convenience init(data: Data? = nil) {
        self.init(data: data, options: [], owner: nil, base: nil)
    }

    init(data: Data?, options: DataSinkOptions, owner: DataContainerProvider?, base: DataSnapshot?)
    {
        self.data = data ?? Data()
        self.options = options
        self.owner = owner
        self.base = base
    }

    /// Whether `finish()` has been called.
    public var isFinished: Bool { life.isFinished }
    /// Why the sink failed; nil if it has not.
    public var failure: (any Error)? { life.failure }
    /// Appends these bytes.
    public func write(_ data: Data) -> Bool { life.step { self.data.append(data) } }
    /// Says that no more bytes come.
    public func finish() -> Bool { life.finish {} }
    /// Nothing to do: the commit is one step, and memory is not durable.
    public func barrier() -> Bool { life.step {} }

    /// Cuts the initial contents of an append.
    public func discardBase(beyond size: UInt64) -> Bool {
        guard let base, options.contains(.append), data.count == base.contents.count,
            size <= base.size
        else { return false }
        return life.step { data = Data(data.prefix(Int(size))) }
    }

    func spend() throws -> DataSnapshot {
        try life.spend()
        return DataSnapshot(data)
    }
}

/// The contents of a memory provider at one moment.
final class DataSnapshot: DataProviding, Sendable {
    let contents: Data
    let uid = "data"

    init(_ contents: Data) { self.contents = contents }

    var size: UInt64 { UInt64(contents.count) }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try clampedData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let count = clampedCount(UInt64(output.freeCapacity), at: offset)
        guard count > 0 else { return }
        output.append(copying: contents.bytes.extracting(Int(offset)..<Int(offset) + count))
    }
}
