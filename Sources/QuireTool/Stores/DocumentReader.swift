import Foundation
import Quire

/// Reads one revision of a document from front to back, up to the first damaged block.
struct DocumentReader {
    private let store: StoreFile
    private let snapshot: any DataProviding & Sendable
    private var position: UInt64
    private let end: UInt64

    /// - Parameters:
    ///   - offset: where to begin; past the end there is nothing to read.
    ///   - length: bytes at most.
    init(_ store: StoreFile, offset: UInt64 = 0, length: UInt64 = .max) throws {
        self.store = store
        snapshot = try store.provider.makeSnapshot()
        position = min(offset, snapshot.size)
        end = position + min(length, snapshot.size - position)
    }

    /// Bytes that are still to be read.
    var remainingByteCount: UInt64 { end - position }

    /// The next piece; empty at the end.
    mutating func next() throws -> Data {
        let piece = try read(min(UInt64(Transfer.pieceSize), end - position))
        position += UInt64(piece.count)
        return piece
    }

    private func read(_ count: UInt64) throws -> Data {
        do { return try snapshot.readData(withSize: count, atOffset: position) } catch let error
            as QuireError where error.blockNumber != nil
        {
            // What comes before the damaged block is handed out first.
            let damage = Damage(error, blocks: try store.provider.blocks())
            guard let offset = damage.offset, offset > position else {
                throw ToolError(line: "\(store.name): \(damage.text)", status: .damaged)
            }
            return try snapshot.readData(withSize: offset - position, atOffset: position)
        }
    }
}
