import Foundation

@testable import Quire

/// Writes stores by the letter of FORMAT.md, with whatever is to be wrong in them.
struct CraftedStore {
    var uuid = UUID()
    var tag: UInt32 = 0x5eed
    var blockSize = 4096
    /// Subfields around Quire's in every block member.
    var before: [UInt8] = []
    var after: [UInt8] = []
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [IndexEntry] = []
    private(set) var documentSize = 0

    /// A gzip header with Quire's subfield between others.
    func header(_ kind: MemberHeader.Kind, _ payload: [UInt8]) -> [UInt8] {
        let plain = MemberHeader.encode(kind, payload: payload)
        var header = Array(plain[..<10])
        header.append(littleEndian: UInt16(before.count + payload.count + 4 + after.count))
        return header + before + plain[12...] + after
    }

    /// Adds a block; `deflated` may be wrong, sizes in header and index may be others than the true ones.
    mutating func add(
        _ block: Data, deflated: [UInt8]? = nil, claimedSize: Int? = nil, claimedMember: Int? = nil,
        entrySize: Int? = nil, entryLength: Int? = nil
    ) throws {
        var deflateData = deflated ?? []
        if deflated == nil {
            let buffer = AlignedBuffer(capacity: block.count + 100)
            try buffer.fill(upTo: buffer.capacity) {
                _ = try Codec.standard.deflate(
                    block.bytes, runs: [Run(byteCount: block.count, isStored: false)], into: &$0,
                    level: 6)
            }
            deflateData = buffer.withBytes { [UInt8]($0) }
        }
        let overhead = header(.block, Array(repeating: 0, count: 16)).count + 8
        let size = overhead + deflateData.count
        var payload: [UInt8] = [0x51, 1, 0, 0]
        payload.append(littleEndian: BlockMember.seal(tag: tag, number: UInt64(entries.count)))
        payload.append(littleEndian: UInt32(claimedMember ?? size))
        payload.append(littleEndian: UInt32(claimedSize ?? block.count))
        bytes += header(.block, payload) + deflateData
        bytes.append(littleEndian: checksum(Array(block)))
        bytes.append(littleEndian: UInt32(block.count))
        entries.append(
            IndexEntry(
                size: entrySize ?? size, length: entryLength ?? block.count, isStored: false,
                checksum: checksum(Array(block))))
        documentSize += block.count
    }

    /// The store with its index and footer; `edit` may make the footer wrong before it is encoded.
    func finished(_ edit: (inout Footer) -> Void = { _ in }) -> Data {
        var encoded: [UInt8] = []
        for entry in entries { entry.encode(into: &encoded) }
        let segment = IndexMember.encode(segment: encoded, uuid: uuid)
        var footer = Footer(
            uuid: uuid, tag: tag, blockSize: blockSize, revision: 1, time: 0,
            documentSize: UInt64(documentSize), blockCount: UInt64(entries.count),
            segmentOffset: UInt64(bytes.count), previousLive: nil, previous: nil,
            offset: UInt64(bytes.count + segment.count), entryCount: entries.count,
            segmentChecksum: checksum(encoded))
        edit(&footer)
        return Data(bytes + segment + footer.encoded)
    }
}
