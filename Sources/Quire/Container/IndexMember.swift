import Foundation

/// One entry of a segment: a block, or the index and footer members that lie between two commits' blocks.
struct IndexEntry: Equatable {
    static let encodedSize = 12
    private static let storedBit: UInt32 = 1 << 31

    /// Bytes of the member, or of the members of a gap.
    var size: Int
    /// Bytes of the block; 0 for a gap.
    var length: Int
    var isStored: Bool
    var checksum: UInt32

    var isGap: Bool { length == 0 }

    static func gap(_ size: Int) -> IndexEntry {
        IndexEntry(size: size, length: 0, isStored: false, checksum: 0)
    }

    init(size: Int, length: Int, isStored: Bool, checksum: UInt32) {
        self.size = size
        self.length = length
        self.isStored = isStored
        self.checksum = checksum
    }

    init(_ bytes: [UInt8], at offset: Int) {
        size = Int(bytes.littleEndian(at: offset, as: UInt32.self))
        let length: UInt32 = bytes.littleEndian(at: offset + 4)
        self.length = Int(length & ~Self.storedBit)
        isStored = length & Self.storedBit != 0
        checksum = bytes.littleEndian(at: offset + 8)
    }

    /// A gap that is too large for an index, which no writer makes, comes out too small: no checksum agrees with it.
    func encode(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt32(clamping: size))
        bytes.append(littleEndian: UInt32(length) | (isStored ? Self.storedBit : 0))
        bytes.append(littleEndian: checksum)
    }

    static func encoded(_ entries: [IndexEntry]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(entries.count * encodedSize)
        for entry in entries { entry.encode(into: &encoded) }
        return encoded
    }

    /// The CRC of encoded entries without those of gaps, continued from `seed`.
    static func checksum(ofBlocksIn encoded: [UInt8], seed: UInt32 = 0) -> UInt32 {
        var (sum, start) = (seed, 0)
        // SAFETY: bytes have no padding.
        let bytes = unsafe encoded.span.bytes
        for entry in stride(from: 0, to: encoded.count, by: encodedSize)
        where IndexEntry(encoded, at: entry).isGap {
            sum = Quire.checksum(bytes.extracting(start..<entry), seed: sum)
            start = entry + encodedSize
        }
        return Quire.checksum(bytes.extracting(start...), seed: sum)
    }

    func check(blockSize: Int) throws(MemberFault) {
        if isGap {
            guard size > 0, !isStored, checksum == 0 else {
                throw MemberFault("an index entry is neither a block nor a gap")
            }
            return
        }
        guard length <= blockSize else {
            throw MemberFault(
                "an index entry claims \(length) bytes, the block size is \(blockSize)")
        }
        try BlockMember.check(memberSize: size, blockSize: length, isStored: isStored)
    }
}

/// An empty member that holds entries of a segment (FORMAT.md, section 4).
struct IndexMember {
    static let entryLimit = 1_330
    private static let magic = Array("QIRX".utf8)
    private static let payloadHeaderSize = 36

    var uuid: UUID
    /// Entries of the segment in the members before this one.
    var first: Int
    /// The encoded entries.
    var entries: [UInt8]

    var count: Int { entries.count / IndexEntry.encodedSize }

    init(uuid: UUID, first: Int, entries: [UInt8]) {
        self.uuid = uuid
        self.first = first
        self.entries = entries
    }

    init(_ header: MemberHeader) throws(MemberFault) {
        let p = header.payload
        guard header.kind == .index, p.count >= Self.payloadHeaderSize, p.starts(with: Self.magic)
        else { throw MemberFault("a member is not an index member") }
        guard p.littleEndian(at: 4, as: UInt32.self) == FormatLimit.version else {
            throw MemberFault("an index member is of an unknown version")
        }
        let count = Int(p.littleEndian(at: 28, as: UInt32.self))
        guard 1...Self.entryLimit ~= count,
            p.count == Self.payloadHeaderSize + count * IndexEntry.encodedSize
        else { throw MemberFault("an index member claims \(count) entries") }
        entries = Array(p[Self.payloadHeaderSize...])
        guard
            checksum(entries, seed: checksum(Array(p[..<32])))
                == p.littleEndian(at: 32, as: UInt32.self)
        else { throw MemberFault("an index member fails its CRC") }
        uuid = UUID(bytes: p[8..<24])
        first = Int(p.littleEndian(at: 24, as: UInt32.self))
    }

    /// The whole member.
    var encoded: [UInt8] {
        var payload = Self.magic
        payload.append(littleEndian: UInt32(FormatLimit.version))
        payload += uuid.bytes
        payload.append(littleEndian: UInt32(first))
        payload.append(littleEndian: UInt32(count))
        payload.append(
            littleEndian: checksum(entries, seed: checksum(payload)))
        return MemberHeader.encode(.index, payload: payload + entries) + MemberHeader.emptyEnd
    }

    /// Bytes of the members that hold a segment of so many entries.
    static func encodedSize(entryCount: Int) -> Int {
        let overhead =
            MemberHeader.fixedSize + 4 + payloadHeaderSize + MemberHeader.emptyEnd.count
        let memberCount = (entryCount + entryLimit - 1) / entryLimit
        return memberCount * overhead + entryCount * IndexEntry.encodedSize
    }

    /// Encodes a segment as the members that hold it.
    static func encode(segment entries: [UInt8], uuid: UUID) -> [UInt8] {
        let stride = entryLimit * IndexEntry.encodedSize
        return Swift.stride(from: 0, to: entries.count, by: stride).flatMap { start in
            IndexMember(
                uuid: uuid, first: start / IndexEntry.encodedSize,
                entries: Array(entries[start..<min(start + stride, entries.count)])
            ).encoded
        }
    }

    /// Reads the encoded entries of the segment whose members fill `range`.
    ///
    /// - Parameter read: gives stored bytes.
    static func entries(
        in range: Range<UInt64>, uuid: UUID, read: @escaping (Range<UInt64>) throws -> [UInt8]
    ) throws -> [UInt8] {
        var members = IndexMembers(in: range, uuid: uuid, read: read)
        var entries: [UInt8] = []
        while let next = try members.next() { entries += next }
        return entries
    }
}

/// The members of a segment, one after the other.
struct IndexMembers {
    /// CRC of the entries so far.
    private(set) var checksum: UInt32 = 0
    private(set) var entryCount = 0
    private var rest: Range<UInt64>
    private let uuid: UUID
    private let read: (Range<UInt64>) throws -> [UInt8]

    /// - Parameter read: gives stored bytes.
    init(in range: Range<UInt64>, uuid: UUID, read: @escaping (Range<UInt64>) throws -> [UInt8]) {
        (rest, self.uuid, self.read) = (range, uuid, read)
    }

    /// The encoded entries of the next member, nil behind the last.
    mutating func next() throws -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        let end = min(rest.upperBound, rest.lowerBound + UInt64(MemberHeader.emptyMemberLimit))
        let bytes = try read(rest.lowerBound..<end)
        let header = try MemberHeader(bytes)
        let member = try IndexMember(header)
        guard bytes[header.size...].starts(with: MemberHeader.emptyEnd) else {
            throw MemberFault("an index member is not empty")
        }
        guard member.uuid == uuid else {
            throw MemberFault("an index member is of the store \(member.uuid), not \(uuid)")
        }
        guard member.first == entryCount else {
            throw MemberFault("an index member is out of order")
        }
        entryCount += member.count
        checksum = Quire.checksum(member.entries, seed: checksum)
        rest = rest.lowerBound + UInt64(header.size + MemberHeader.emptyEnd.count)..<rest.upperBound
        return member.entries
    }
}
