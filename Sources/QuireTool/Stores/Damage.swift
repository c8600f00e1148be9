import Quire

/// A fault of a store, with the part of the document that it costs.
struct Damage {
    private let error: QuireError
    /// Where the part begins in the document; nil if nothing of it is lost.
    let offset: UInt64?
    /// Bytes of the part; nil if nobody knows.
    private let length: UInt64?
    private let isCertain: Bool
    private let blockCount: Int

    /// - Parameter blocks: those of the store; empty if it could not be opened.
    init(_ error: QuireError, blocks: [BlockInfo] = []) {
        self.error = error
        let block = error.blockNumber.flatMap { blocks.indices.contains($0) ? blocks[$0] : nil }
        offset = block?.offset
        length = block.map { UInt64($0.size) }
        (isCertain, blockCount) = (true, 1)
    }

    init(_ hole: Salvage.Hole) {
        error = hole.cause
        offset = hole.offset
        length = hole.size == 0 ? nil : hole.size
        (isCertain, blockCount) = (hole.isSizeCertain, hole.blockCount)
    }

    /// What is wrong, which blocks, their document range and their stored byte.
    var text: String {
        guard let offset, let fileOffset = error.fileOffset else { return error.description }
        let place = "\(error.message), at byte \(fileOffset) of the store"
        guard let length else { return "all from byte \(offset) of the document on: \(place)" }
        let range = "\(isCertain ? "" : "about ")bytes \(offset)...\(offset + length - 1)"
        return "\(blocks)\(range) of the document: \(place)"
    }

    private var blocks: String {
        guard let first = error.blockNumber else { return "" }
        return blockCount == 1
            ? "block \(first), " : "blocks \(first)...\(first + blockCount - 1), "
    }

    var json: JSON {
        .object([
            "block": JSON(error.blockNumber),
            "blockCount": JSON(error.blockNumber.map { _ in blockCount }),
            "code": .string(error.code.description),
            "fileOffset": JSON(error.fileOffset), "isExact": .bool(isCertain),
            "length": JSON(length),
            "message": .string(error.message), "offset": JSON(offset),
        ])
    }
}
