import Foundation

extension CompressedDataProvider {
    /// The document as it was saved by an earlier commit, of those that `history()` lists. Later saves do not change the view.
    ///
    /// The store is opened as if it ended with that commit's footer, with all the checks of opening, and each block is checked as
    /// always. Its `uid` is the provider's with the number of the revision behind it, but for the present one. Over an upstream
    /// that keeps one version only, the view expires with the next commit (`snapshotExpired`), as a snapshot does. One upstream
    /// read for each later commit, then as many as opening takes.
    ///
    /// - Throws: `invalidArgument` if there is no such revision; `damagedFooter` if the footers on the way to it are damaged;
    ///   what opening a store throws.
    public func open(revision: UInt64) throws -> any DataProviding & Sendable {
        let present = try current()
        let footer = try present.store.footer(ofRevision: revision)
        guard footer.offset != present.store.footer.offset else { return present }
        return StoreSnapshot(
            try present.store.opened(asOf: footer), reader: reader,
            uidSuffix: "-revision-\(revision)")
    }

    /// Makes an earlier commit the present one again. Those after it are gone, and so is a torn append behind it.
    ///
    /// The stored bytes up to that commit's footer replace the upstream's contents, unchanged and in one step: whatever fails,
    /// the store is either as it was or rolled back, and views from before stay what they are. The history up to there stays, and
    /// the next save has the number after it. To roll back to the present revision removes a torn append, if there is one.
    /// Costs a copy of what is kept.
    ///
    /// - Returns: the commits that were dropped, newest first.
    /// - Throws: as `open(revision:)`; `conflict` if the document was saved meanwhile, by anyone; the upstream's errors.
    @discardableResult
    public func rollBack(to revision: UInt64) throws -> [RevisionInfo] {
        try replacing { try rollBack($0, to: revision) }
    }

    private func rollBack(_ base: StoreSnapshot, to revision: UInt64) throws -> [RevisionInfo] {
        let store = base.store
        let footer = try store.footer(ofRevision: revision)
        let isPresent = footer.offset == store.footer.offset
        if isPresent, !store.hasFooter || store.committedEnd == store.storedSize { return [] }
        if !isPresent { _ = try store.opened(asOf: footer) }
        let dropped = try store.history(downTo: revision).footers.dropLast()
        let sink = try sinkInPlace(of: store)
        try store.bytes.copy(footer.end, to: sink)
        try sink.close()
        try revisions.commit(on: base) {
            sink
        } adopt: {
            reader.dropCache()
            return StoreSnapshot(try StoreReader.open($0), reader: reader)
        }
        return dropped.map { store.info(of: $0) }
    }

    /// Runs what makes stored bytes of the present ones.
    ///
    /// - Throws: `conflict` if the present ones expire meanwhile.
    func replacing<R>(_ body: (StoreSnapshot) throws -> R) throws -> R {
        do { return try body(current()) } catch QuireError.Code.snapshotExpired {
            throw QuireError.changedPastUs
        }
    }

    /// A sink for stored bytes that are made of `store` and replace it.
    ///
    /// - Throws: `conflict` if the upstream holds another by now; the sink guards it from then on.
    func sinkInPlace(of store: Store) throws -> any DataSink {
        let sink = try upstream.provider.createDataSink(options: [])
        let present = try upstream.view()
        let count = Int(min(store.storedSize, UInt64(Footer.memberSize)))
        let tail = store.storedSize - UInt64(count)
        guard present.size == store.storedSize,
            try present.readBytes(count, at: tail) == store.bytes.readBytes(count, at: tail)
        else { throw QuireError.changedPastUs }
        return sink
    }
}

extension QuireError {
    fileprivate static let changedPastUs = QuireError(
        .conflict, "the stored bytes were changed past this provider")
}

extension Store {
    /// - Throws: `invalidArgument` if there is no such revision; `damagedFooter` if one before it in the search is damaged.
    fileprivate func footer(ofRevision revision: UInt64) throws -> Footer {
        let (footers, damage) = try history(downTo: revision)
        if let footer = footers.last, footer.revision == revision { return footer }
        if let damage { throw damage }
        let oldest = try history().footers.last?.revision ?? footer.revision
        throw QuireError(
            .invalidArgument,
            "there is no revision \(revision); the store has \(oldest)...\(footer.revision)")
    }

    /// The store as it was when this was its last footer.
    func opened(asOf footer: Footer) throws -> Store {
        try StoreReader.open(StoredPrefix(bytes, size: footer.end))
    }
}
