import Foundation
import Quire

/// A sink that passes everything on at once, for outputs that cannot be replaced in one step.
final class StreamSink: OrderedDataSink {
    let options: DataSinkOptions = []
    private(set) var isFinished = false
    private(set) var failure: (any Error)?
    private let stream: ByteStream

    init(_ stream: ByteStream) { self.stream = stream }

    func write(_ data: Data) -> Bool {
        guard failure == nil else { return false }
        do { try stream.write(data) } catch { failure = error }
        return failure == nil
    }

    func finish() -> Bool {
        isFinished = true
        return failure == nil
    }

    func barrier() -> Bool { failure == nil }

    func discardBase(beyond size: UInt64) -> Bool { false }
}
