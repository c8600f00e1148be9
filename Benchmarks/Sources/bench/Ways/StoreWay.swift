import Foundation
import Quire

/// A store by one of Quire's settings.
struct StoreWay: Way {
    let name: String
    let differsInSizeAlone: Bool
    private let writing: CompressedDataProvider.Configuration

    private init(_ favor: Favor, level: Int) {
        name = Engine.here.name(favor, level: level)
        differsInSizeAlone = level != 6
        writing = .init(level: level, favor: favor)
    }

    /// The default setting in blocks of another size.
    init(blockSize: Int) {
        name = "\(blockSize >> 10) KiB"
        differsInSizeAlone = false
        writing = .init(blockSize: blockSize)
    }

    /// The settings that are measured; the first one is the one that is appended to.
    static let all = [6, Engine.here.topLevel].flatMap { level in
        [Favor.balanced, .speed, .size].map { StoreWay($0, level: level) }
    }

    var form: String? { name }

    func pack(_ document: URL, to packed: URL) throws {
        try pack(document, into: FileDataSink(fileURL: packed))
    }

    /// Into memory, as a file is synced.
    func packOnly(_ document: URL, to scratch: URL) throws {
        try pack(document, into: DataContainerSink())
    }

    func open(_ url: URL, cacheByteBudget: Int) throws -> any Source {
        try provider(FileDataProvider(fileURL: url), cacheByteBudget: cacheByteBudget)
    }

    func provider(_ upstream: any DataProviding & Sendable, cacheByteBudget: Int) throws
        -> CompressedDataProvider
    {
        var configuration = writing
        configuration.cacheByteBudget = cacheByteBudget
        return try CompressedDataProvider(upstream, configuration: configuration)
    }

    /// Through a compressing sink, in steps of 1 MiB.
    private func pack(_ url: URL, into upstream: any DataSink) throws {
        let document = FileDataProvider(fileURL: url)
        let sink = try CompressedDataSink(upstream, configuration: writing)
        for offset in stride(from: 0, to: document.size, by: 1 << 20) {
            let part = try document.readData(withSize: 1 << 20, atOffset: offset)
            guard sink.write(part) else { break }
        }
        if !sink.finish() { throw sink.failure ?? BenchError("the sink failed") }
    }
}
