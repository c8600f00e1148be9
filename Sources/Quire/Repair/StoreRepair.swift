import Foundation

/// What can be put right of a store, found out without changing it.
///
/// Indexes and footers are written anew where they lie, as they were; what follows the last commit that is whole is cut
/// off. Damaged blocks stay as they are: a `Salvage` writes the document without them.
package struct StoreRepair {
    /// What was wrong and has been put right; empty if nothing was.
    package private(set) var repairs: [QuireError] = []
    /// The commits that are lost, though their footers are there.
    package private(set) var losses: [QuireError] = []
    /// The blocks of the repaired store, and the holes between them.
    package let salvage: Salvage
    /// What the repaired store says of itself: the present revision.
    package let present: RevisionInfo
    /// The latest revision without a hole; nil if there is none.
    package let wholeRevision: UInt64?
    private let repaired: any DataProviding & Sendable

    /// Looks at all of a store. Reads it twice.
    ///
    /// - Parameter progress: called with the bytes of the document checked so far; what it throws stops it.
    /// - Throws: what opening it throws if no commit is whole; `damagedIndex` if it can be read, but its commits
    ///   cannot be restored; the upstream's errors.
    package init(
        of bytes: any DataProviding & Sendable, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        var (store, failure, scan) = try Self.lastWhole(of: bytes)
        let reader = BlockReader(cacheByteBudget: 0, codec: Codec.standard)
        var view = bytes
        var isSecondRound = false
        while true {
            var restorer = CommitRestorer(view, of: store?.footer)
            if let store, try !restorer.passCommits(of: store) {
                throw QuireError(
                    .damagedIndex, "the indexes of the commits cannot be restored",
                    fileOffset: restorer.end)
            }
            try restorer.passTail()
            if restorer.end == 0, let failure { throw failure }
            try restorer.finish()
            if let failure, failure.code == .unsupportedVersion,
                !restorer.isProved || restorer.end != view.size
            {
                throw failure  // not a flipped bit: a later version wrote it
            }
            repairs += restorer.repairs
            view = StoredPrefix(view, size: restorer.end, patches: restorer.patches)
            let reopened = try StoreReader.open(view)
            guard !reopened.isRebuilt, try StoreRebuilder.faults(in: reopened).isEmpty else {
                throw QuireError(
                    .damagedIndex, "what was restored of the indexes does not fit together")
            }
            let snapshot = StoreSnapshot(reopened, reader: reader)
            let salvage = try Salvage(snapshot, progress: progress)
            // Blocks may tell that the index is another store's: then it is rebuilt now, and is to be restored in its turn.
            if snapshot.store.isRebuilt, !isSecondRound {
                (store, isSecondRound) = (snapshot.store, true)
                continue
            }
            self.salvage = salvage
            let (footers, damage) = try reopened.history()
            if let damage { throw damage }
            let whole = salvage.holes.first?.offset ?? .max
            wholeRevision = footers.first { $0.documentSize <= whole }?.revision
            present = reopened.info(of: reopened.footer)
            break
        }
        repaired = view
        let lost = (scan?.footers ?? []).filter { [present] in $0.revision > present.revision }
        if let failure {
            losses = lost.map {
                QuireError(
                    failure.code,
                    "revision \($0.revision), of \($0.documentSize) bytes, is lost: \(failure.message)",
                    fileOffset: failure.fileOffset)
            }
        }
        if view.size < bytes.size, lost.isEmpty {
            let isForeign = failure?.code == .foreignTail
            repairs.append(
                QuireError(
                    isForeign ? .foreignTail : .truncated,
                    "\(bytes.size - view.size) bytes \(isForeign ? "that are not of this store" : "of a torn append") followed",
                    fileOffset: view.size))
        }
    }

    /// The store as of its last footer under which it opens; nil if there is none, and why the store does not open as it is.
    private static func lastWhole(
        of bytes: any DataProviding & Sendable
    ) throws -> (Store?, failure: QuireError?, StoreScan?) {
        do {
            let store = try StoreReader.open(bytes)
            return store.hasFooter ? (store, nil, nil) : (nil, store.rebuildCause, nil)
        } catch let failure as QuireError
            where failure.isDamage || failure.code == .notAStore
            || failure.code == .unsupportedVersion
        {
            let scan = try StoreScan(bytes)
            for footer in scan.footers.reversed() {
                do {
                    let store = try StoreReader.open(StoredPrefix(bytes, size: footer.end))
                    return (store, failure, scan)
                } catch let error as QuireError where error.isDamage || error.code == .notAStore {}
            }
            return (nil, failure, scan)
        }
    }

    /// Writes the repaired store and finishes the sink.
    ///
    /// - Parameter progress: called with the stored bytes written so far; what it throws stops it.
    package func write(
        to sink: any DataSink, progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        try repaired.copy(repaired.size, to: sink, progress: progress)
        try sink.close()
    }
}
