import Foundation
import QuireTesting

@testable import Quire

/// A store of `document` in memory.
func store(
    _ document: Data, appends: [Data] = [], level: Int = 6, blockSize: Int = 4096
) throws -> Data {
    let upstream = DataContainerProvider(data: Data())
    let configuration = CompressedDataProvider.Configuration(level: level, blockSize: blockSize)
    let sink = try upstream.createDataSink(options: [])
    let packed = try CompressedDataSink(sink, configuration: configuration)
    try packed.put(document)
    try packed.close()
    try upstream.replaceContents(with: sink)
    if !appends.isEmpty {
        let provider = try CompressedDataProvider(upstream, configuration: configuration)
        for tail in appends { try provider.save(.append, tail) }
    }
    return try upstream.data()
}

/// Opens stored bytes.
func open(_ stored: Data) throws -> CompressedDataProvider {
    try CompressedDataProvider(DataContainerProvider(data: stored))
}

extension DataProviding {
    /// Saves in one step.
    func save(_ options: DataSinkOptions, _ data: Data) throws {
        let sink = try createDataSink(options: options)
        try sink.put(data)
        try sink.close()
        try replaceContents(with: sink)
    }

    func read(_ size: Int, at offset: Int) throws -> Data {
        try readData(withSize: UInt64(size), atOffset: UInt64(offset))
    }
}

/// The code of the error that `body` throws; nil if it throws none or another's.
func code(_ body: () throws -> Void) -> QuireError.Code? {
    do { try body() } catch { return (error as? QuireError)?.code }
    return nil
}
