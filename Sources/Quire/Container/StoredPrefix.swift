import Foundation

/// The first bytes of a store, some of them put right: what an earlier revision was, or what a repair is to write.
final class StoredPrefix: DataProviding, Sendable {
    struct Patch: Sendable {
        var fileOffset: UInt64
        var bytes: [UInt8]

        var end: UInt64 { fileOffset + UInt64(bytes.count) }
    }

    let size: UInt64
    var uid: String { bytes.uid }
    private let bytes: any DataProviding & Sendable
    private let patches: [Patch]

    /// - Parameter patches: in the order of their places, apart from each other.
    init(_ bytes: any DataProviding & Sendable, size: UInt64, patches: [Patch] = []) {
        (self.bytes, self.size, self.patches) = (bytes, size, patches)
    }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try clampedData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        var position = offset
        let end = position + UInt64(clampedCount(UInt64(output.freeCapacity), at: offset))
        while position < end {
            let patch = patches.first { $0.end > position }
            if let patch, patch.fileOffset <= position {
                let start = Int(position - patch.fileOffset)
                let part = Array(patch.bytes[start..<Int(min(patch.end, end) - patch.fileOffset)])
                output.append(copying: part)
                position += UInt64(part.count)
            } else {
                let next = min(end, patch?.fileOffset ?? end)
                let start = position
                try output.append(upTo: Int(next - start)) {
                    try bytes.readAll(into: &$0, at: start)
                }
                position = next
            }
        }
    }
}

extension DataProviding {
    /// Passes stored bytes on, a piece at a time.
    ///
    /// - Parameter progress: called with the bytes passed on so far; what it throws stops it.
    func copy(
        _ byteCount: UInt64, to sink: any DataSink, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        var position: UInt64 = 0
        while position < byteCount {
            let part = try readBytes(Int(min(byteCount - position, 1 << 20)), at: position)
            try sink.put(Data(part))
            position += UInt64(part.count)
            try progress(position)
        }
    }

    /// The first place in a range where the bytes are `needle` and `body` makes something of it.
    func first<R>(
        _ needle: [UInt8], in range: Range<UInt64>, _ body: (UInt64) throws -> R?
    ) throws -> R? {
        var (start, windowSize) = (range.lowerBound, UInt64(4096))
        while start < range.upperBound {
            let end = min(range.upperBound, start + windowSize)
            windowSize = min(windowSize * 2, 1 << 20)
            let window = try readBytes(Int(end - start), at: start)
            for place in unsafe window.withUnsafeBytes({ unsafe $0.places(of: needle) }) {
                if let result = try body(start + UInt64(place)) { return result }
            }
            // The needle may lie across the end of the window.
            start = end == range.upperBound ? end : end - UInt64(needle.count - 1)
        }
        return nil
    }
}
