import Foundation

/// The last member of a commit (FORMAT.md, section 5).
struct Footer: Equatable, Sendable {
    static let memberSize = 146
    static let magic = Array("QIRF".utf8)
    /// Where the magic lies in the member.
    static let magicOffset = 16
    /// Where the tag does.
    static let tagOffset = 48
    /// Where its own file offset does.
    static let offsetOffset = 112
    static let revisionLimit = UInt64(Int64.max)
    private static let payloadSize = 120
    private static let none = UInt64.max

    var uuid: UUID
    var tag: UInt32
    var blockSize: Int
    var revision: UInt64
    /// Milliseconds since 1970.
    var time: Int64
    var documentSize: UInt64
    var blockCount: UInt64
    var segmentOffset: UInt64
    var previousLive: UInt64?
    var previous: UInt64?
    var offset: UInt64
    var entryCount: Int
    var segmentChecksum: UInt32
    /// CRC of the entries of all blocks of the document; nil if it was not given.
    var blocksChecksum: UInt32?

    /// Position behind the footer.
    var end: UInt64 { offset + UInt64(Self.memberSize) }

    var encoded: [UInt8] {
        var p = Self.magic
        p.append(littleEndian: UInt32(FormatLimit.version))
        p.append(littleEndian: UInt64(0))  // required and optional flags
        p += uuid.bytes
        p.append(littleEndian: tag)
        p.append(littleEndian: UInt32(blockSize))
        p.append(littleEndian: revision)
        p.append(littleEndian: time)
        for value in [
            documentSize, blockCount, segmentOffset, previousLive ?? Self.none,
            previous ?? Self.none, offset,
        ] { p.append(littleEndian: value) }
        p.append(littleEndian: UInt32(entryCount))
        p.append(littleEndian: segmentChecksum)
        p.append(littleEndian: blocksChecksum ?? 0)
        p.append(littleEndian: checksum(p))
        return MemberHeader.encode(.index, payload: p) + MemberHeader.emptyEnd
    }

    /// Reads the footer that is the 146 bytes of `member`, found at `fileOffset`.
    ///
    /// - Returns: nil if it is not a whole footer of that place.
    /// - Throws: `unsupportedVersion`, `unsupportedFeature`.
    init?(_ member: [UInt8], at fileOffset: UInt64) throws {
        guard member.count == Self.memberSize, let header = try? MemberHeader(member),
            header.kind == .index, header.payload.starts(with: Self.magic)
        else { return nil }
        let p = header.payload
        let version: UInt16 = p.littleEndian(at: 4)
        guard version <= FormatLimit.version else {
            if Self.isOfThisVersion(p) { return nil }
            throw QuireError(
                .unsupportedVersion,
                "the store is of format version \(version), known is \(FormatLimit.version)",
                fileOffset: fileOffset)
        }
        guard p.count == Self.payloadSize, member.suffix(10).elementsEqual(MemberHeader.emptyEnd),
            p.littleEndian(at: 116, as: UInt32.self) == checksum(Array(p[..<116]))
        else { return nil }
        func offset(at position: Int) -> UInt64? {
            let value: UInt64 = p.littleEndian(at: position)
            return value == Self.none ? nil : value
        }
        uuid = UUID(bytes: p[16..<32])
        tag = p.littleEndian(at: 32)
        blockSize = Int(p.littleEndian(at: 36, as: UInt32.self))
        revision = p.littleEndian(at: 40)
        time = p.littleEndian(at: 48)
        documentSize = p.littleEndian(at: 56)
        blockCount = p.littleEndian(at: 64)
        segmentOffset = p.littleEndian(at: 72)
        previousLive = offset(at: 80)
        previous = offset(at: 88)
        self.offset = p.littleEndian(at: 96)
        entryCount = Int(p.littleEndian(at: 104, as: UInt32.self))
        segmentChecksum = p.littleEndian(at: 108)
        let blocksChecksum: UInt32 = p.littleEndian(at: 112)
        self.blocksChecksum = blocksChecksum == 0 ? nil : blocksChecksum
        guard version == FormatLimit.version, p.littleEndian(at: 6, as: UInt16.self) == 0,
            self.offset == fileOffset,
            FormatLimit.blockSizes ~= blockSize, documentSize <= FormatLimit.storedSize,
            1...Self.revisionLimit ~= revision, segmentOffset <= fileOffset,
            isBefore(previousLive), isBefore(previous)
        else { return nil }
        let required: UInt32 = p.littleEndian(at: 8)
        guard required == 0 else {
            throw QuireError(
                .unsupportedFeature,
                "the store needs features 0x\(String(required, radix: 16)), known is none",
                fileOffset: fileOffset)
        }
    }

    /// Reads a footer wherever it is found; nil if it is none that is whole.
    static func moved(_ member: [UInt8]) -> Footer? {
        guard member.count == memberSize else { return nil }
        return try? Footer(member, at: member.littleEndian(at: offsetOffset))
    }

    init(
        uuid: UUID, tag: UInt32, blockSize: Int, revision: UInt64, time: Int64,
        documentSize: UInt64, blockCount: UInt64, segmentOffset: UInt64, previousLive: UInt64?,
        previous: UInt64?, offset: UInt64, entryCount: Int, segmentChecksum: UInt32,
        blocksChecksum: UInt32? = nil
    ) {
        self.uuid = uuid
        self.tag = tag
        self.blockSize = blockSize
        self.revision = revision
        self.time = time
        self.documentSize = documentSize
        self.blockCount = blockCount
        self.segmentOffset = segmentOffset
        self.previousLive = previousLive
        self.previous = previous
        self.offset = offset
        self.entryCount = entryCount
        self.segmentChecksum = segmentChecksum
        self.blocksChecksum = blocksChecksum == 0 ? nil : blocksChecksum
    }

    /// Whether the version is all that is damaged of a payload.
    private static func isOfThisVersion(_ payload: [UInt8]) -> Bool {
        guard payload.count == payloadSize else { return false }
        var p = Array(payload[..<116])
        (p[4], p[5]) = (UInt8(FormatLimit.version), 0)
        return payload.littleEndian(at: 116, as: UInt32.self) == checksum(p)
    }

    /// Whether a footer at `other` would end before this one's segment.
    private func isBefore(_ other: UInt64?) -> Bool {
        guard let other else { return true }
        let (end, overflow) = other.addingReportingOverflow(UInt64(Self.memberSize))
        return !overflow && end <= segmentOffset
    }
}
