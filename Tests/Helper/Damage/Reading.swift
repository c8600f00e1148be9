import Foundation
import Quire

/// What reading a document in pieces gave.
struct Reading {
    let size: Int
    /// The documents, of those that it may be, that every piece agrees with.
    private(set) var documents: [Data]
    private var read: [Range<Int>] = []
    private var errors: [(range: Range<Int>, error: QuireError)] = []

    /// Pieces that lie across the edges of blocks, and the whole.
    init(_ provider: any DataProviding, of documents: [Data]) throws {
        size = Int(provider.size)
        self.documents = documents.filter { [size] in $0.count == size }
        let pieces = stride(from: 0, to: size, by: 700).map { $0..<min($0 + 700, size) }
        for range in pieces + [0..<size] {
            do {
                let bytes = try provider.readData(
                    withSize: UInt64(range.count), atOffset: UInt64(range.lowerBound))
                self.documents.removeAll { $0[range] != bytes }
                read.append(range)
            } catch let error as QuireError { errors.append((range, error)) }
        }
    }

    func document(_ name: String) throws -> Data {
        guard let document = documents.first else {
            throw Finding("\(name) of \(size) bytes is none that was saved")
        }
        return document
    }

    /// Every piece that has a damaged block in it names one, and no other fails.
    func check(against blocks: [BlockInfo], damaged: Set<Int>) throws {
        let damagedBlocks = blocks.filter { damaged.contains($0.number) }
        func lost(in range: Range<Int>) -> [BlockInfo] {
            damagedBlocks.filter { range.overlaps(Int($0.offset)..<Int($0.offset) + $0.size) }
        }
        for (range, error) in errors {
            let isNamed = lost(in: range).contains {
                $0.number == error.blockNumber && $0.fileOffset == error.fileOffset
            }
            guard error.code == .damagedBlock, isNamed else {
                throw Finding("reading \(range) throws \(error.code): \(error)")
            }
        }
        for range in read where !lost(in: range).isEmpty {
            throw Finding("\(range) is read, of a block that is damaged")
        }
    }
}
