import Foundation
import Quire

/// Reads one revision of a document from front to back, up to the first damaged block.
struct DocumentReader {
    private let store: StoreFile
    private let snapshot: any DataProviding & Sendable
    private var position: UInt64
    private let end: UInt64

    /// - Parameters:
    ///   - revision: which to read; nil for the present one.
    ///   - offset: where to begin; past the end there is nothing to read.
    ///   - length: bytes at most.
    init(
        _ store: StoreFile, revision: UInt64? = nil, offset: UInt64 = 0, length: UInt64 = .max
    ) throws {
        self.store = store
        snapshot =
            try revision.map(store.provider.open(revision:)) ?? store.provider.makeSnapshot()
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
            // Earlier revisions have the first of these blocks. What comes before the damaged block is handed out first.
            let damage = Damage(error, blocks: try store.provider.blocks())
            guard let offset = damage.offset, offset > position else {
                throw ToolError(line: "\(store.name): \(damage.text)", status: .damaged)
            }
            return try snapshot.readData(withSize: offset - position, atOffset: position)
        }
    }
}
