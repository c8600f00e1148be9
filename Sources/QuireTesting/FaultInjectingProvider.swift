public import Foundation
public import Quire
import Synchronization

/// A provider over any other that fails, shortens or delays chosen operations, and records them all.
///
/// Without a fault it keeps every rule that its upstream keeps. It makes snapshots if its upstream does; their reads are
/// counted with its own. A decorator is tested by failing at each operation in turn:
///
/// ```swift
/// for number in 0... {
///     let upstream = FaultInjectingProvider(FileDataProvider(fileURL: url))
///     upstream.fault = Fault(.error(.EIO), at: number)
///     … // open, save: an error, or all is well; never something else
///     if upstream.operations.count <= number { break }
/// }
/// ```
///
/// It may be used from many threads, which then decide together what is the n-th operation.
public final class FaultInjectingProvider<Base: DataProviding & Sendable>: DataProviding, Sendable {
    /// The provider that does the work.
    public let upstream: Base
    private let plan = FaultPlan()

    /// Wraps a provider. No fault is set.
    public init(_ upstream: Base) { self.upstream = upstream }

    /// What goes wrong. Setting it begins the count of operations anew, and the record of them.
    public var fault: Fault? {
        get { plan.fault }
        set { plan.set(newValue) }
    }

    /// All operations since the fault was set, in the order in which they began.
    public var operations: [FaultOperation] { plan.operations }

    public var size: UInt64 { upstream.size }
    public var uid: String { upstream.uid }
    public var additionalOperationsSupported: DataProvidingAdditionalOperations {
        upstream.additionalOperationsSupported
    }
    public var canWrite: Bool { upstream.canWrite }
    public var progress: Progress? { upstream.progress }
    public var error: (any Error)? { upstream.error }
    public var useDiskCache: Bool { upstream.useDiskCache }
    public func clearCache() { upstream.clearCache() }

    public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try plan.read(size, at: offset) {
            try upstream.readData(withSize: $0, atOffset: offset)
        }
    }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try plan.read(into: &output, at: offset) {
            try upstream.read(into: &$0, atOffset: offset)
        }
    }

    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        try plan.throwing(FaultOperation(kind: .sink))
        return FaultInjectingSink(try upstream.createDataSink(options: options), plan: plan)
    }

    /// Commits the upstream's sink inside of `replacementDataSink`; a sink of another kind is the upstream's to refuse.
    public func replaceContents(with replacementDataSink: any DataSink) throws {
        try plan.throwing(FaultOperation(kind: .commit))
        let sink = replacementDataSink as? FaultInjectingSink
        if let failure = sink?.injected { throw failure }
        try upstream.replaceContents(with: sink?.upstream ?? replacementDataSink)
    }

    public func deleteData() throws {
        try plan.throwing(FaultOperation(kind: .delete))
        try upstream.deleteData()
    }
}

extension FaultInjectingProvider: SnapshotProviding where Base: SnapshotProviding {
    /// A snapshot of the upstream, with the same faults.
    public func makeSnapshot() throws -> any DataProviding & Sendable {
        try plan.throwing(FaultOperation(kind: .snapshot))
        return FaultInjectingSnapshot(upstream: try upstream.makeSnapshot(), plan: plan)
    }
}

/// A snapshot whose reads are counted by its provider.
private final class FaultInjectingSnapshot: DataProviding, Sendable {
    private let upstream: any DataProviding & Sendable
    private let plan: FaultPlan

    init(upstream: any DataProviding & Sendable, plan: FaultPlan) {
        self.upstream = upstream
        self.plan = plan
    }

    var size: UInt64 { upstream.size }
    var uid: String { upstream.uid }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try plan.read(size, at: offset) {
            try upstream.readData(withSize: $0, atOffset: offset)
        }
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try plan.read(into: &output, at: offset) {
            try upstream.read(into: &$0, atOffset: offset)
        }
    }
}

/// A sink that hands on what is not to fail. Over a sink that promises no order it promises none either: its barriers do
/// nothing, and it discards nothing.
private final class FaultInjectingSink: OrderedDataSink {
    let upstream: any DataSink
    /// The failure that was made here.
    private(set) var injected: (any Error)?
    private(set) var isFinished = false
    private let plan: FaultPlan
    private var byteCount: UInt64 = 0

    init(_ upstream: any DataSink, plan: FaultPlan) {
        self.upstream = upstream
        self.plan = plan
    }

    var options: DataSinkOptions { upstream.options }
    var failure: (any Error)? { injected ?? ordered?.failure }
    private var ordered: (any OrderedDataSink)? { upstream as? any OrderedDataSink }

    func write(_ data: Data) -> Bool {
        var operation = FaultOperation(kind: .write, offset: byteCount)
        operation.byteCount = UInt64(data.count)
        operation.bytes = data
        return step(operation) { effect in
            if case .short(let count) = effect {
                _ = upstream.write(data.prefix(count))
                injected = POSIXError(.ENOSPC)
                return false
            }
            byteCount += UInt64(data.count)
            return upstream.write(data)
        }
    }

    func finish() -> Bool {
        isFinished = true
        return step(FaultOperation(kind: .finish)) { _ in upstream.finish() }
    }

    func barrier() -> Bool {
        step(FaultOperation(kind: .barrier)) { _ in ordered?.barrier() ?? true }
    }

    func discardBase(beyond size: UInt64) -> Bool {
        step(FaultOperation(kind: .discard, offset: size)) { _ in
            ordered?.discardBase(beyond: size) ?? false
        }
    }

    private func step(_ operation: FaultOperation, _ body: (Fault.Effect?) -> Bool) -> Bool {
        let effect = plan.begin(operation)
        if injected == nil, case .error(let code) = effect { injected = POSIXError(code) }
        return injected == nil && body(effect)
    }
}

/// The fault of a provider and all that it made, and what was asked of these.
private final class FaultPlan: Sendable {
    private struct State {
        var fault: Fault?
        var count = 0
        var operations: [FaultOperation] = []
    }

    private let state = Mutex(State())

    var fault: Fault? { state.withLock { $0.fault } }
    var operations: [FaultOperation] { state.withLock { $0.operations } }
    func set(_ fault: Fault?) { state.withLock { $0 = State(fault: fault) } }

    /// Records an operation and says what is to become of it. A delay is over when this returns.
    func begin(_ operation: FaultOperation) -> Fault.Effect? {
        let effect = state.withLock { state -> Fault.Effect? in
            var operation = operation
            defer { state.operations.append(operation) }
            guard let fault = state.fault,
                fault.kinds.isEmpty || fault.kinds.contains(operation.kind)
            else { return nil }
            defer { state.count += 1 }
            guard state.count == fault.number || fault.isLasting && state.count > fault.number
            else { return nil }
            operation.fault = fault.effect
            return fault.effect
        }
        if case .delay(let seconds) = effect { Thread.sleep(forTimeInterval: seconds) }
        return effect
    }

    /// For operations that throw.
    @discardableResult
    func throwing(_ operation: FaultOperation) throws -> Fault.Effect? {
        let effect = begin(operation)
        if case .error(let code) = effect { throw POSIXError(code) }
        return effect
    }

    func read(_ size: UInt64, at offset: UInt64, _ body: (UInt64) throws -> Data) throws -> Data {
        let operation = FaultOperation(kind: .read, offset: offset, byteCount: size)
        guard case .short(let count) = try throwing(operation) else { return try body(size) }
        return try body(min(size, UInt64(count)))
    }

    func read(
        into output: inout OutputRawSpan, at offset: UInt64,
        _ body: (inout OutputRawSpan) throws -> Void
    ) throws {
        let size = UInt64(output.freeCapacity)
        let operation = FaultOperation(kind: .read, offset: offset, byteCount: size)
        guard case .short(let count) = try throwing(operation) else { return try body(&output) }
        try output.append(upTo: min(count, output.freeCapacity), body)
    }
}
