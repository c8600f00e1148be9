import Foundation

/// Goes over the commits of a store and writes anew what is damaged of their indexes and footers.
///
/// Everything but a commit's time follows from its blocks and from the other commits, and there are CRCs that prove it: a
/// footer has its segment's, and its own. What a damaged one still says of its time is believed if its CRC agrees.
struct CommitRestorer {
    /// What to put over the stored bytes, in order.
    private(set) var patches: [StoredPrefix.Patch] = []
    /// What was wrong and has been put right.
    private(set) var repairs: [QuireError] = []
    /// Whether a CRC proves all that was restored.
    private(set) var isProved = true
    /// Behind the last footer.
    private(set) var end: UInt64 = 0

    private let bytes: any DataProviding & Sendable
    private var uuid: UUID?
    private var tag: UInt32?
    private var commits: [Commit] = []
    /// The commits whose segments are live, oldest first.
    private var live: [Footer] = []
    private var passed = PassedMembers()

    private struct Commit {
        var footer: Footer
        var isRestored: Bool
    }

    /// - Parameter footer: tells whose commits they are; nil if there is none.
    init(_ bytes: any DataProviding & Sendable, of footer: Footer?) {
        self.bytes = bytes
        (uuid, tag) = (footer?.uuid, footer?.tag)
    }

    /// Goes over the commits of a store that opens.
    ///
    /// - Returns: false if a commit cannot be restored.
    mutating func passCommits(of store: Store) throws -> Bool {
        var isWhole = true
        try store.forEachBlock { block in
            guard isWhole else { return }
            isWhole = try passCommits(upTo: block.fileOffset)
            passed.append(
                IndexEntry(
                    size: block.memberSize, length: block.size, isStored: block.isStored,
                    checksum: block.checksum))
        }
        return try isWhole && passCommits(upTo: store.committedEnd)
    }

    /// Goes on behind the last footer for as long as there are blocks and an index that agree, and a footer that is recognizable.
    mutating func passTail() throws {
        while true {
            var hop = MemberHop(
                bytes, from: end, to: bytes.size, tag: tag, blockCount: passed.blockCount)
            do { while try hop.header().kind == .block { try hop.next() } } catch is MemberFault {}
            let before = self
            for entry in hop.entries { passed.append(entry) }
            tag = hop.tag
            guard try passTornCommit(at: passed.end) else {
                self = before
                return
            }
        }
    }

    /// Gives restored footers their numbers and times, which take all commits to know.
    mutating func finish() throws {
        for index in commits.indices where commits[index].isRestored { try finishFooter(index) }
        patches.sort { $0.fileOffset < $1.fileOffset }
    }

    // MARK: Commits

    /// Goes over the commits between the last block and `regionEnd`.
    private mutating func passCommits(upTo regionEnd: UInt64) throws -> Bool {
        var position = passed.end
        while position < regionEnd {
            if let footer = try wholeCommit(at: position, upTo: regionEnd) {
                accept(footer, isRestored: false)
            } else {
                let next = try bytes.first(MemberHeader.magic, in: position..<regionEnd) {
                    try footer(at: $0)
                }
                // The next whole footer is this commit's, or its index begins where this commit ends.
                let isOwn = next?.segmentOffset == position
                let commitEnd = next.map { isOwn ? $0.end : $0.segmentOffset } ?? regionEnd
                guard commitEnd > position, commitEnd <= regionEnd,
                    try restore(position..<commitEnd, under: isOwn ? next : nil)
                else { return false }
            }
            position = end
        }
        return true
    }

    /// A footer of this store.
    private func footer(at fileOffset: UInt64) throws -> Footer? {
        guard fileOffset + UInt64(Footer.memberSize) <= bytes.size else { return nil }
        let member = try bytes.readBytes(Footer.memberSize, at: fileOffset)
        guard let footer = try? Footer(member, at: fileOffset), footer.uuid == uuid,
            footer.tag == tag
        else { return nil }
        return footer
    }

    /// The commit whose index begins here, if all of it is as it should be.
    private func wholeCommit(at position: UInt64, upTo regionEnd: UInt64) throws -> Footer? {
        var hop = MemberHop(bytes, from: position, to: regionEnd)
        do {
            while true {
                let offset = hop.position
                guard try hop.nextIndexMember() != nil else { continue }
                guard let footer = try footer(at: offset), footer.segmentOffset == position,
                    let expected = segment(under: footer),
                    try IndexMember.entries(
                        in: position..<offset, uuid: footer.uuid,
                        read: { try bytes.readBytes($0.count, at: $0.lowerBound) }) == expected
                else { return nil }
                return footer
            }
        } catch is MemberFault {
            return nil
        } catch let error as QuireError
            where error.code == .unsupportedVersion || error.code == .unsupportedFeature
        { return nil }
    }

    /// The encoded entries of a whole footer's segment; nil if it does not agree with what comes before.
    private func segment(under footer: Footer) -> [UInt8]? {
        let start = footer.previousLive.map { $0 + UInt64(Footer.memberSize) } ?? 0
        let entries = passed.entries(from: start)
        let encoded = IndexEntry.encoded(entries)
        guard footer.documentSize == passed.documentSize, footer.blockCount == passed.blockCount,
            footer.previous == commits.last?.footer.offset,
            footer.revision > commits.last?.footer.revision ?? 0,
            footer.previousLive.map({ offset in live.contains { $0.offset == offset } }) ?? true,
            footer.entryCount == entries.count, footer.segmentChecksum == checksum(encoded),
            footer.blocksChecksum ?? passed.blocksChecksum == passed.blocksChecksum
        else { return nil }
        return encoded
    }

    private mutating func accept(_ footer: Footer, isRestored: Bool) {
        live.removeAll { $0.offset > footer.previousLive ?? 0 || footer.previousLive == nil }
        live.append(footer)
        commits.append(Commit(footer: footer, isRestored: isRestored))
        passed.append(.gap(Int(footer.end - footer.segmentOffset)))
        end = footer.end
    }

    /// Writes anew what is damaged of a commit that begins with this range.
    ///
    /// - Parameter known: its footer, if that is whole.
    private mutating func restore(_ range: Range<UInt64>, under known: Footer?) throws -> Bool {
        if let known {
            guard let uuid, let encoded = segment(under: known) else { return false }
            let index = IndexMember.encode(segment: encoded, uuid: uuid)
            guard UInt64(index.count) == known.offset - range.lowerBound else { return false }
            patch(index, at: range.lowerBound)
            repairs.append(
                QuireError(
                    .damagedIndex, "the index of revision \(known.revision) was damaged",
                    fileOffset: range.lowerBound))
            accept(known, isRestored: false)
            return true
        }
        var (footer, index) = nextCommit(at: range.lowerBound)
        if footer.end != range.upperBound {
            // An append to a store whose index was rebuilt takes over all of it.
            let other = nextCommit(at: range.lowerBound, takingAll: true)
            if other.0.end == range.upperBound { (footer, index) = other }
        }
        // What is left of the range is then another commit's.
        guard footer.end <= range.upperBound else { return false }
        if try bytes.readBytes(index.count, at: range.lowerBound) != index {
            patch(index, at: range.lowerBound)
        }
        accept(footer, isRestored: true)
        return true
    }

    /// Restores the footer behind an index that is whole and agrees with the blocks, unless it was a crash that tore it.
    private mutating func passTornCommit(at position: UInt64) throws -> Bool {
        if uuid == nil {
            // Without a footer it is the index that tells whose blocks they are.
            let hop = MemberHop(bytes, from: position, to: bytes.size)
            guard passed.blockCount > 0, let header = try? hop.header(),
                let index = try? IndexMember(header)
            else { return false }
            uuid = index.uuid
        }
        let (footer, index) = nextCommit(at: position)
        guard footer.offset <= bytes.size,
            try bytes.readBytes(index.count, at: position) == index
        else { return false }
        if let whole = try self.footer(at: footer.offset) {
            guard segment(under: whole) != nil else { return false }
            accept(whole, isRestored: false)
            return true
        }
        let found = try foundFooter(at: footer.offset)
        guard Footer.moved(found) == nil else { return false }
        // Of a crash there are zeros or a part of it, and the commit before is the last. Without one nothing else is to be had.
        let pairs = zip(found, footer.encoded)
        let isLikely = pairs.count { $0 == $1 } > Footer.memberSize * 3 / 4
        let isAllThereIs =
            bytes.size == footer.end
            || bytes.size < footer.end && pairs.allSatisfy { $0 == $1 || $0 == 0 }
        guard isLikely || commits.isEmpty && isAllThereIs else { return false }
        accept(footer, isRestored: true)
        return true
    }

    /// The commit that a writer would make of what there is behind the last footer.
    private func nextCommit(
        at position: UInt64, takingAll: Bool = false
    ) -> (Footer, index: [UInt8]) {
        var live = self.live
        var entries = passed.entries(from: end)
        while let last = live.last, takingAll || last.entryCount <= entries.count {
            live.removeLast()
            entries = passed.entries(from: live.last?.end ?? 0)
        }
        let encoded = IndexEntry.encoded(entries)
        let index = IndexMember.encode(segment: encoded, uuid: uuid ?? UUID())
        let footer = Footer(
            uuid: uuid ?? UUID(), tag: tag ?? 0,
            blockSize: commits.last?.footer.blockSize ?? passed.greatestBlock,
            revision: (commits.last?.footer.revision ?? 0) + 1, time: 0,
            documentSize: passed.documentSize, blockCount: passed.blockCount,
            segmentOffset: position,
            previousLive: live.last?.offset, previous: commits.last?.footer.offset,
            offset: position + UInt64(index.count), entryCount: entries.count,
            segmentChecksum: checksum(encoded), blocksChecksum: passed.blocksChecksum)
        return (footer, index)
    }

    private mutating func patch(_ patch: [UInt8], at fileOffset: UInt64) {
        patches.append(StoredPrefix.Patch(fileOffset: fileOffset, bytes: patch))
    }

    // MARK: Footers

    /// What is there of a footer.
    private func foundFooter(at fileOffset: UInt64) throws -> [UInt8] {
        let count = min(UInt64(Footer.memberSize), bytes.size - min(bytes.size, fileOffset))
        return try bytes.readBytes(Int(count), at: fileOffset)
    }

    /// Gives a restored footer what does not follow from the blocks: what the damaged one says, if that is proved or can be true.
    private mutating func finishFooter(_ index: Int) throws {
        var footer = commits[index].footer
        let found = try foundFooter(at: footer.offset)
        let said = SaidByFooter(found + Array(repeating: 0, count: Footer.memberSize - found.count))
        let before = index > 0 ? commits[index - 1].footer : nil
        let after = commits[index...].enumerated().first { !$0.element.isRestored }
            .map { (footer: $0.element.footer, distance: UInt64($0.offset)) }
        let revision =
            before.map { $0.revision + 1 }
            ?? after.map { $0.footer.revision - min($0.distance, $0.footer.revision - 1) }
        let blockSize = before?.blockSize ?? after?.footer.blockSize
        let isProved = said.proves(
            &footer, revisions: revision.map { [$0] } ?? [said.revision, 1],
            blockSizes: blockSize.map { [$0] } ?? [
                said.blockSize, 65_536, 524_288, passed.greatestBlock,
            ])
        var doubt = ""
        if !isProved {
            doubt =
                revision == nil
                ? "; its number and time are not certain" : "; its time is not certain"
            footer.revision = revision ?? 1
            footer.blockSize = blockSize ?? passed.greatestBlock
            let earliest = before?.time ?? 0
            let latest = after?.footer.time ?? Int64(Date().timeIntervalSince1970 * 1000)
            footer.time = earliest <= said.time && said.time <= latest ? said.time : earliest
        }
        commits[index].footer = footer
        self.isProved = self.isProved && isProved
        patch(footer.encoded, at: footer.offset)
        repairs.append(
            QuireError(
                .damagedFooter, "the footer of revision \(footer.revision) was damaged\(doubt)",
                fileOffset: footer.offset))
    }
}
