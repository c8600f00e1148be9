import Quire

/// A fault of a store, with the part of the document that it costs.
struct Damage {
    private let error: QuireError
    private let block: BlockInfo?

    /// - Parameter blocks: those of the store; empty if it could not be opened.
    init(_ error: QuireError, blocks: [BlockInfo]) {
        self.error = error
        block = error.blockNumber.flatMap { blocks.indices.contains($0) ? blocks[$0] : nil }
    }

    /// Where the damaged block begins in the document.
    var offset: UInt64? { block?.offset }

    /// What is wrong, which block, its document range and its stored byte.
    var text: String {
        guard let block, let fileOffset = error.fileOffset else { return error.description }
        let last = block.offset + UInt64(block.size) - 1
        return
            "block \(block.number), bytes \(block.offset)...\(last) of the document: \(error.message), at byte \(fileOffset) of the store"
    }

    var json: JSON {
        .object([
            "block": JSON(error.blockNumber), "code": .string(error.code.description),
            "fileOffset": JSON(error.fileOffset), "length": JSON(block?.size),
            "message": .string(error.message), "offset": JSON(block?.offset),
        ])
    }
}
