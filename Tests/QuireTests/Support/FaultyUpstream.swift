import Foundation
import Quire
import Synchronization

/// A provider over memory whose sinks refuse a chosen write, or whose commits fail.
final class FaultyUpstream: SnapshotProviding, Sendable {
    enum Fault {
        case none
        /// The write with this number fails, from 0.
        case write(Int)
        case commit
    }

    private let contents: DataContainerProvider
    private let fault = Mutex(Fault.none)

    init(_ stored: Data) { contents = DataContainerProvider(data: stored) }

    /// What is to go wrong from now on.
    func fail(at next: Fault) { fault.withLock { $0 = next } }

    var size: UInt64 { contents.size }
    var uid: String { contents.uid }
    var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try contents.readData(withSize: size, atOffset: offset)
    }

    func makeSnapshot() throws -> any DataProviding & Sendable { try contents.makeSnapshot() }

    func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        let sink = try contents.createDataSink(options: options)
        if case .write(let number) = fault.withLock({ $0 }) {
            return FaultySink(sink, failingWrite: number)
        }
        return FaultySink(sink, failingWrite: -1)
    }

    func replaceContents(with sink: any DataSink) throws {
        if case .commit = fault.withLock({ $0 }) { throw POSIXError(.EIO) }
        guard let sink = sink as? FaultySink else { throw CocoaError(.featureUnsupported) }
        try contents.replaceContents(with: sink.sink)
    }
}

private final class FaultySink: DataSink {
    let sink: any DataSink
    private var writesLeft: Int

    init(_ sink: any DataSink, failingWrite: Int) { (self.sink, writesLeft) = (sink, failingWrite) }

    var isFinished: Bool { sink.isFinished }
    var options: DataSinkOptions { sink.options }

    func write(_ data: Data) -> Bool {
        writesLeft -= 1
        return writesLeft != -1 && sink.write(data)
    }

    func finish() -> Bool { sink.finish() }
}
