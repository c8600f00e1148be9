import Foundation

/// Why bytes are not a member of a store. The reader says where, and what that means for the store.
struct MemberFault: Error {
    enum Kind {
        /// The bytes contradict the format.
        case malformed
        /// The bytes end too early.
        case cutOff
        /// A well-formed gzip member of somebody else.
        case foreign
    }

    let kind: Kind
    let reason: String

    init(_ reason: String, _ kind: Kind = .malformed) {
        self.reason = reason
        self.kind = kind
    }

    func asError(_ code: QuireError.Code, at fileOffset: UInt64, block: Int? = nil) -> QuireError {
        QuireError(code, reason, fileOffset: fileOffset, blockNumber: block)
    }
}

/// The gzip header that all members share (FORMAT.md, section 1), read up to the deflate data.
struct MemberHeader {
    enum Kind: UInt8 {
        case block = 0x42  // "B"
        case index = 0x49  // "I": index and footer members
    }

    static let fixedSize = 12
    static let trailerSize = 8
    /// The deflate data of an empty member, and its trailer.
    static let emptyEnd: [UInt8] = [0x03, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
    static let magic: [UInt8] = [0x1f, 0x8b, 0x08, 0x04]
    /// busybox refuses more.
    static let extraLimit = 16_384
    /// The largest member with no contents.
    static let emptyMemberLimit = fixedSize + extraLimit + emptyEnd.count

    let kind: Kind
    /// Bytes before the deflate data.
    let size: Int
    let payload: [UInt8]

    /// Bytes of the header that begins with `bytes`, of which there must be at least 12.
    static func size(of bytes: [UInt8]) throws(MemberFault) -> Int {
        guard bytes.count >= fixedSize else {
            throw MemberFault("a member's header is cut off", .cutOff)
        }
        guard bytes.starts(with: magic) else { throw MemberFault("there is no member here") }
        let extra = Int(bytes.littleEndian(at: 10, as: UInt16.self))
        guard extra <= extraLimit else {
            throw MemberFault("a member's XLEN is \(extra), allowed are \(extraLimit)")
        }
        return fixedSize + extra
    }

    /// Reads the header at the start of `bytes`; unknown subfields are skipped.
    init(_ bytes: [UInt8]) throws(MemberFault) {
        size = try Self.size(of: bytes)
        guard bytes.count >= size else {
            throw MemberFault("a member's header is cut off", .cutOff)
        }
        var found: (Kind, [UInt8])?
        var position = Self.fixedSize
        while position < size {
            guard size - position >= 4 else { throw MemberFault("a gzip subfield is cut off") }
            let length = Int(bytes.littleEndian(at: position + 2, as: UInt16.self))
            let end = position + 4 + length
            guard end <= size else {
                throw MemberFault("a gzip subfield of \(length) bytes runs past XLEN")
            }
            guard bytes[position + 1] != 0 else {
                throw MemberFault("the second letter of a gzip subfield is 0")
            }
            if bytes[position] == 0x5a, let kind = Kind(rawValue: bytes[position + 1]) {
                guard found == nil else { throw MemberFault("a member has two subfields of Quire") }
                found = (kind, Array(bytes[position + 4..<end]))
            }
            position = end
        }
        guard let found else {
            // No deflate data begins with zeros: a power cut has torn a header of ours, before its XLEN.
            let isTorn = bytes[size...].prefix(8).allSatisfy { $0 == 0 }
            throw MemberFault("a gzip member is not one of Quire's", isTorn ? .malformed : .foreign)
        }
        (kind, payload) = found
    }

    /// Encodes a header with one subfield.
    static func encode(_ kind: Kind, payload: [UInt8]) -> [UInt8] {
        var bytes = magic + [0, 0, 0, 0, 0, 255]
        bytes.append(littleEndian: UInt16(payload.count + 4))
        bytes += [0x5a, kind.rawValue]
        bytes.append(littleEndian: UInt16(payload.count))
        return bytes + payload
    }
}

/// The limits of format version 1.
enum FormatLimit {
    static let version = 1
    static let blockSizes = 512...(1 << 20)
    static let storedSize = UInt64(Int64.max)
    /// Bytes of a block's member: twice the greatest block.
    static let memberSize = 1 << 21
    /// Deflate cannot do better: one bit pair for 258 bytes.
    static let deflateRatio = 1032

    /// What a writer goes by; tests lower it, as nobody has the disk for these.
    struct Writing: Sendable {
        var documentSize = FormatLimit.storedSize
        var storedSize = FormatLimit.storedSize
        /// Entries of a segment.
        var entryCount = Int(UInt32.max)
        /// Bytes of a gap.
        var entrySize = Int(UInt32.max)

        @TaskLocal static var present = Writing()
    }
}

/// The header of a block member (FORMAT.md, section 2).
struct BlockMember: Equatable {
    static let headerSize = 32
    private static let payloadSize = 16
    private static let magic: UInt8 = 0x51

    var isStored: Bool
    /// Tells the store and the place of the block.
    var seal: UInt32
    var memberSize: Int
    var blockSize: Int

    /// The seal of a block of the store with this tag.
    static func seal(tag: UInt32, number: UInt64) -> UInt32 {
        tag &+ UInt32(truncatingIfNeeded: number)
    }

    init(isStored: Bool, seal: UInt32, memberSize: Int, blockSize: Int) {
        self.isStored = isStored
        self.seal = seal
        self.memberSize = memberSize
        self.blockSize = blockSize
    }

    init(_ header: MemberHeader) throws(MemberFault) {
        let p = header.payload
        guard header.kind == .block, p.count == Self.payloadSize, p[0] == Self.magic else {
            throw MemberFault("a member is not a block")
        }
        guard p[1] == FormatLimit.version else {
            throw MemberFault("a block is of version \(p[1]), known is \(FormatLimit.version)")
        }
        guard p[2] & ~1 == 0, p[3] == 0 else { throw MemberFault("a block has unknown flags") }
        isStored = p[2] == 1
        seal = p.littleEndian(at: 4)
        memberSize = Int(p.littleEndian(at: 8, as: UInt32.self))
        blockSize = Int(p.littleEndian(at: 12, as: UInt32.self))
        try Self.check(memberSize: memberSize, blockSize: blockSize, isStored: isStored)
    }

    var encoded: [UInt8] {
        var payload = [Self.magic, UInt8(FormatLimit.version), isStored ? 1 : 0, 0]
        payload.append(littleEndian: seal)
        payload.append(littleEndian: UInt32(memberSize))
        payload.append(littleEndian: UInt32(blockSize))
        return MemberHeader.encode(.block, payload: payload)
    }

    /// The checks on sizes that header and index entry share.
    static func check(memberSize: Int, blockSize: Int, isStored: Bool) throws(MemberFault) {
        guard 1...FormatLimit.blockSizes.upperBound ~= blockSize else {
            throw MemberFault(
                "a block claims \(blockSize) bytes, allowed are 1...\(FormatLimit.blockSizes.upperBound)"
            )
        }
        let least =
            headerSize + MemberHeader.trailerSize
            + (isStored ? StoredBlock.deflateSize(blockSize: blockSize) : 1)
        guard memberSize >= least else {
            throw MemberFault("a block's member claims \(memberSize) bytes, the least is \(least)")
        }
        guard memberSize <= FormatLimit.memberSize else {
            throw MemberFault(
                "a block's member claims \(memberSize) bytes, allowed are \(FormatLimit.memberSize)"
            )
        }
        guard memberSize * FormatLimit.deflateRatio >= blockSize else {
            throw MemberFault(
                "a block claims \(blockSize) bytes from a member of \(memberSize), more than deflate can"
            )
        }
    }
}
