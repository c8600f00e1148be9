import Foundation

/// The bytes of an append until its commit: in memory up to 1 MiB, then in a nameless temporary file.
struct StagedBytes {
    static let memoryLimit = 1 << 20

    private let target: String
    private var memory = Data()
    private var file: TemporaryFile?
    private(set) var count: UInt64 = 0

    /// - Parameter target: the path of the file to be appended to; the temporary lies beside it.
    init(target: String) { self.target = target }

    mutating func append(_ data: Data) throws {
        if file == nil, memory.count + data.count > Self.memoryLimit {
            let file = try TemporaryFile(beside: target)
            file.makeAnonymous()
            try file.file.write(memory.bytes, at: 0)
            self.file = file
            memory = Data()
        }
        if let file {
            try file.file.write(data.bytes, at: count)
        } else {
            memory.append(data)
        }
        count += UInt64(data.count)
    }

    /// Writes the bytes of `range` into `output` at `offset`.
    func copy(_ range: Range<UInt64>, to output: OpenFile, at offset: UInt64) throws {
        guard let file else {
            let part = memory.bytes.extracting(Int(range.lowerBound)..<Int(range.upperBound))
            return try output.write(part, at: offset)
        }
        let buffer = AlignedBuffer(capacity: Self.memoryLimit)
        var position = range.lowerBound
        while position < range.upperBound {
            let count = Int(min(range.upperBound - position, UInt64(buffer.capacity)))
            try buffer.fill(upTo: count) { try file.file.read(into: &$0, at: position) }
            guard buffer.count == count else {
                throw QuireError(.truncated, "the staged bytes of an append are gone")
            }
            try buffer.withBytes {
                try output.write($0, at: offset + (position - range.lowerBound))
            }
            position += UInt64(count)
        }
    }
}
