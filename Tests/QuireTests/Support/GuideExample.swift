import Foundation
import Quire

// The custom provider and sink of the SDK's guide, written anew from the facts of its interface, with what the guide
// leaves out (saving a sink that is not this provider's own, or not finished) filled in, and its lost append mended.

/// A sink that keeps what is written in memory.
final class ExampleDataSink: NSObject, PSPDFDataSink {
    private(set) var isFinished = false
    let options: PSPDFDataSinkOptions
    private(set) var writtenData = Data()
    private(set) var isBroken = false
    let owner: ExampleDataProvider
    let generation: Int

    init(options: PSPDFDataSinkOptions, owner: ExampleDataProvider, generation: Int) {
        self.options = options
        self.owner = owner
        self.generation = generation
        super.init()
    }

    func write(_ data: Data) -> Bool {
        if isFinished { isBroken = true }
        guard !isBroken else { return false }
        writtenData.append(data)
        return true
    }

    func finish() -> Bool {
        isFinished = true
        return !isBroken
    }
}

/// A provider that keeps the document in memory, in the older spelling: `replace(with:) -> Bool`.
final class ExampleDataProvider: NSObject, PSPDFDataProviding, @unchecked Sendable {
    private let lock = NSLock()
    private var contents: Data
    private var generation = 0
    let uid = "example-" + UUID().uuidString

    init(data: Data) {
        contents = data
        super.init()
    }

    var size: UInt64 { lock.withLock { UInt64(contents.count) } }
    var additionalOperationsSupported: PSPDFDataProvidingAdditionalOperations { [.write] }

    func readData(withSize size: UInt64, atOffset offset: UInt64) -> Data {
        lock.withLock {
            let length = UInt64(contents.count)
            let start = min(offset, length)
            return contents.subdata(in: Int(start)..<Int(start + min(size, length - start)))
        }
    }

    func createDataSink(options: PSPDFDataSinkOptions) -> any PSPDFDataSink {
        ExampleDataSink(
            options: options, owner: self, generation: lock.withLock { generation })
    }

    func replace(with replacementDataSink: any PSPDFDataSink) -> Bool {
        guard let sink = replacementDataSink as? ExampleDataSink, sink.owner === self,
            sink.isFinished, !sink.isBroken
        else { return false }
        return lock.withLock {
            guard sink.generation == generation else { return false }
            generation += 1
            if sink.options.contains(.append) {
                contents.append(sink.writtenData)  // the guide joins the two and drops the result
            } else {
                contents = sink.writtenData
            }
            return true
        }
    }
}
