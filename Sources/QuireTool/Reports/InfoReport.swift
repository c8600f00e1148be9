import Foundation
import Quire

/// What `quire info` tells, for people and for machines.
struct InfoReport {
    let file: String
    let info: StoreInfo
    /// The blocks, if they were asked for.
    let blocks: [BlockInfo]?
    /// Nil if the record of earlier revisions is damaged.
    var history: [RevisionInfo]?

    var text: String {
        var facts = [
            ("document", Amount.exact(info.documentSize)),
            ("store", share(info.storedSize)),
            ("saved", saved),
            ("blocks", blockCounts),
            ("stored as is", storedBlocks),
            ("revision", String(info.revision)),
            ("committed", info.committedAt.map(Amount.time) ?? "unknown"),
            ("uuid", info.uuid.uuidString.lowercased()),
        ]
        if info.compaction.pays { facts.append(("compacting", compacting)) }
        for note in StoreFile.notes(on: info) { facts.append(("note", note)) }
        let width = 14
        var lines = facts.map {
            $0.0.padding(toLength: width, withPad: " ", startingAt: 0) + $0.1
        }
        if let history, history.count > 1 {
            lines += [""] + HistoryReport(history: history).lines
        }
        if let blocks { lines += [""] + table(of: blocks).lines }
        return lines.joined(separator: "\n") + "\n"
    }

    var json: JSON {
        var keys: [String: JSON] = [
            "blockCount": JSON(info.blockCount), "blockSize": JSON(info.blockSize),
            "committedAt": info.committedAt.map { .string(Amount.time($0)) } ?? .null,
            "compactedBlockCount": JSON(info.compaction.blockCount),
            "compactedSize": .integer(info.compaction.storedSize),
            "compactingPays": .bool(info.compaction.pays),
            "documentSize": .integer(info.documentSize), "file": .string(file),
            "history": history.map { HistoryReport(history: $0).json } ?? .null,
            "isRebuilt": .bool(info.isRebuilt), "ratio": ratio,
            "revision": .integer(info.revision),
            "storedBlockByteCount": .integer(info.storedBlockByteCount),
            "storedBlockCount": JSON(info.storedBlockCount),
            "storedSize": .integer(info.storedSize),
            "tornByteCount": .integer(info.tornByteCount),
            "uuid": .string(info.uuid.uuidString.lowercased()),
        ]
        if let blocks { keys["blocks"] = .array(blocks.map(\.json)) }
        return .object(keys)
    }

    private var ratio: JSON {
        guard info.documentSize > 0 else { return .null }
        let ratio = Double(info.storedSize) / Double(info.documentSize)
        return .number((ratio * 10_000).rounded() / 10_000)
    }

    private func share(_ byteCount: UInt64) -> String {
        guard info.documentSize > 0 else { return Amount.exact(byteCount) }
        let percent = Amount.percent(byteCount, of: info.documentSize)
        return "\(Amount.exact(byteCount)), \(percent)"
    }

    private var saved: String {
        info.storedSize <= info.documentSize
            ? share(info.documentSize - info.storedSize)
            : "nothing: the store is \(Amount.exact(info.storedSize - info.documentSize)) larger"
    }

    private var compacting: String {
        let compaction = info.compaction
        let blocks = Amount.count(compaction.blockCountBefore - compaction.blockCount, "block")
        let bytes = Amount.exact(compaction.sparedByteCount)
        let share = Amount.percent(compaction.sparedByteCount, of: info.storedSize)
        return "would spare \(blocks) and about \(bytes), \(share): quire compact"
    }

    private var blockCounts: String {
        "\(Amount.grouped(UInt64(info.blockCount))) of up to \(Amount.exact(UInt64(info.blockSize)))"
    }

    private var storedBlocks: String {
        guard info.storedBlockCount > 0 else { return "none" }
        let count = Amount.count(info.storedBlockCount, "block")
        return "\(count), \(share(info.storedBlockByteCount))"
    }

    private func table(of blocks: [BlockInfo]) -> Table {
        var table = Table([
            ("block", .right), ("offset", .right), ("size", .right), ("file offset", .right),
            ("member", .right), ("kind", .left), ("crc-32", .left),
        ])
        for block in blocks {
            table.append([
                String(block.number), String(block.offset), String(block.size),
                String(block.fileOffset), String(block.memberSize),
                block.isStored ? "stored" : "deflated", block.hexChecksum,
            ])
        }
        return table
    }
}

extension BlockInfo {
    fileprivate var hexChecksum: String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    fileprivate var json: JSON {
        .object([
            "checksum": .string(hexChecksum), "fileOffset": .integer(fileOffset),
            "isStored": .bool(isStored), "memberSize": JSON(memberSize), "number": JSON(number),
            "offset": .integer(offset), "size": JSON(size),
        ])
    }
}
