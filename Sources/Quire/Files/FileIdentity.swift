import Foundation

/// What a file held when it was looked at, as far as it takes to tell whether it still does.
///
/// Two files are compared byte by byte. Of one that was written in place the old bytes are gone: it is told by its size and
/// by checksums of up to 16 pieces of 4 KiB, spread evenly from its first byte to its last, which are all of a file up to
/// 64 KiB. Beyond that a sign that it was written to counts as a change. Times alone never make one, unless nothing
/// says where a new time of modification comes from.
struct FileIdentity: Sendable {
    /// What became of a file.
    enum Change: Equatable {
        case none
        /// Another file, or more behind the same bytes: those that are open can still be read.
        case replaced
        /// Perhaps nothing: it has a time of modification that nothing explains.
        case doubtful
        /// The bytes that are open may be gone.
        case overwritten
    }

    private static let pieceSize: UInt64 = 4096
    private static let pieceLimit: UInt64 = 16

    let snapshot: FileSnapshot
    private(set) var status: OpenFile.Status
    private let sums: [UInt32]

    /// Reads up to 64 KiB of the file.
    init(_ snapshot: FileSnapshot) throws {
        self.snapshot = snapshot
        status = try snapshot.file.status()
        sums = try Self.sums(of: snapshot, size: snapshot.size)
    }

    /// What has changed by the time that the same path held `later`.
    func change(to later: FileIdentity, signs: FileSigns) throws -> Change {
        guard !snapshot.isOverwritten else { return .overwritten }
        let (size, laterSize) = (snapshot.size, later.snapshot.size)
        guard status.isSameFile(as: later.status) else {
            return try size == laterSize && hasSameBytes(as: later) ? .none : .replaced
        }
        if laterSize > size {
            let beginning = try Self.sums(of: later.snapshot, size: size)
            return beginning == sums ? .replaced : .overwritten
        }
        guard laterSize == size, later.sums == sums else { return .overwritten }
        if size <= Self.pieceSize * Self.pieceLimit { return .none }
        if signs.contains(.written) { return .overwritten }
        // Setting the times is told as `attributes`; else they are of writing that was not told.
        let isUntold = !signs.contains(.attributes) && status.modified != later.status.modified
        return isUntold ? .doubtful : .none
    }

    /// The same contents with the times that they have now.
    func dated(as later: OpenFile.Status) -> FileIdentity {
        var identity = self
        identity.status = later
        return identity
    }

    /// Makes reads of the file fail if it was written in place, under whatever name it now goes.
    func checkOverwriting(signs: FileSigns) throws {
        let file = snapshot.file
        let now = try FileIdentity(FileSnapshot(file: file, size: file.status().size))
        switch try change(to: now, signs: signs) {
        case .none, .replaced: break
        case .doubtful, .overwritten: snapshot.noteOverwriting()
        }
    }

    private static func sums(of file: FileSnapshot, size: UInt64) throws -> [UInt32] {
        let count = min((size + pieceSize - 1) / pieceSize, pieceLimit)
        return try (0..<count).map { index in
            // Without a gap where the pieces are the whole file; the last one ends with it.
            let start =
                size <= pieceSize * pieceLimit
                ? index * pieceSize : (size - pieceSize) / (count - 1) * index
            let offset = index == count - 1 ? size - min(size, pieceSize) : start
            return checksum(try file.readBytes(Int(min(pieceSize, size - offset)), at: offset))
        }
    }

    private func hasSameBytes(as other: FileIdentity) throws -> Bool {
        var offset: UInt64 = 0
        while offset < snapshot.size {
            let count = Int(min(1 << 18, snapshot.size - offset))
            guard
                try snapshot.readBytes(count, at: offset)
                    == other.snapshot.readBytes(count, at: offset)
            else { return false }
            offset += UInt64(count)
        }
        return true
    }
}
