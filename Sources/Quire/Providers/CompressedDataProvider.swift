public import Foundation

/// A document that another provider holds as a store of compressed blocks.
///
/// A decorator: durability is the upstream's business, so `Compressed(File)`, `Compressed(Memory)` and others come from this
/// one class. It opens the store once and reads it as it was until a save through it, or `clearCache()`.
///
/// A read costs one upstream read for each block touched that is not cached: of the block's member, or, of a stored block that
/// was checked before, of the bytes asked for alone, straight into the caller's buffer.
public final class CompressedDataProvider: NSObject, SnapshotProviding, Sendable {
    /// `quire-` and the UUID of the store, which saves keep. Copies of one file have the same.
    public let uid: String
    /// The configuration that it was made with.
    public let configuration: Configuration

    let reader: BlockReader
    let revisions: Revisions<StoreSnapshot>
    var upstream: Upstream { revisions.upstream }

    /// Opens the store that `upstream` holds. Two upstream reads; one more for each 1,330 blocks.
    ///
    /// - Throws: `notAStore`, `truncated`, `unsupportedVersion`, `unsupportedFeature`, `damagedFooter`,
    ///   `damagedIndex`, `foreignTail`; `invalidArgument`; the upstream's errors.
    public convenience init(
        _ upstream: any DataProviding & Sendable, configuration: Configuration = Configuration()
    ) throws {
        self.init(try Opened(upstream, configuration: configuration))
    }

    init(_ opened: Opened) {
        (revisions, reader, configuration) = (opened.revisions, opened.reader, opened.configuration)
        uid = opened.uid
    }

    /// All that can fail when a provider is made.
    struct Opened {
        let configuration: Configuration
        let reader: BlockReader
        let revisions: Revisions<StoreSnapshot>
        let uid: String

        init(_ upstream: any DataProviding & Sendable, configuration: Configuration) throws {
            try configuration.check()
            self.configuration = configuration
            let reader = BlockReader(
                cacheByteBudget: configuration.cacheByteBudget, codec: Codec.standard)
            self.reader = reader
            revisions = Revisions(of: upstream) {
                StoreSnapshot(try StoreReader.open($0), reader: reader)
            }
            uid = try revisions.openAtOnce().uid
        }
    }

    /// Opens the store in a file.
    public convenience init(url: URL, configuration: Configuration = Configuration()) throws {
        try self.init(FileDataProvider(fileURL: url), configuration: configuration)
    }

    /// Makes a store of an empty document in an empty upstream.
    ///
    /// - Throws: `conflict` if the upstream has bytes.
    public static func create(
        in upstream: any DataProviding & Sendable, configuration: Configuration = Configuration()
    ) throws -> CompressedDataProvider {
        guard upstream.size == 0 else {
            throw QuireError(
                .conflict, "a store is not made over \(upstream.size) bytes that are there")
        }
        let sink = try upstream.createDataSink(options: [])
        let store = try CompressedDataSink(sink, configuration: configuration)
        try store.close()
        try upstream.replaceContents(with: sink)
        return try CompressedDataProvider(upstream, configuration: configuration)
    }

    public var additionalOperationsSupported: DataProvidingAdditionalOperations {
        upstream.provider.additionalOperationsSupported
    }
    public var canWrite: Bool { upstream.provider.canWrite }
    public var useDiskCache: Bool { upstream.provider.useDiskCache }
    public var progress: Progress? { upstream.provider.progress }
    public var error: (any Error)? { revisions.error }

    /// Bytes of the document; 0 if the store could not be opened again (`error` says why).
    public var size: UInt64 { (try? current())?.size ?? 0 }

    public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        var data = Data()
        try revisions.reading { data = try $0.readData(withSize: size, atOffset: offset) }
        return data
    }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try revisions.reading { try $0.read(into: &output, atOffset: offset) }
    }

    /// Begins to load a range of the document in the background, for reads that are about to come: as much as fits in half of the
    /// cache. Returns at once; what goes wrong is for those reads to find. In order, blocks are loaded ahead without it.
    public func prefetch(size: UInt64, atOffset offset: UInt64) {
        guard let snapshot = try? current() else { return }
        snapshot.prefetch(size: size, atOffset: offset)
    }

    /// The whole document, of one revision.
    public func data() throws -> Data { try readData(withSize: .max, atOffset: 0) }

    /// The present revision; later saves do not change it.
    public func makeSnapshot() throws -> any DataProviding & Sendable { try current() }

    /// Makes a sink for the next revision. An append costs nothing until it is written to.
    ///
    /// Over an upstream that cannot drop its torn tail, appending to a torn store rewrites it.
    ///
    /// - Throws: `conflict` if the upstream has been changed past this provider.
    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        try revisions.beginning(on: { try current() }) {
            try makeSink(options, on: $0 ?? current())
        }
    }

    private func makeSink(_ options: DataSinkOptions, on base: StoreSnapshot) throws -> any DataSink
    {
        if options.contains(.append) { base.proveIndex() }
        let store = base.store
        let isAppend = options.contains(.append) && store.size > 0
        var writer = StoreWriter(
            uuid: store.footer.uuid, revision: try StoreWriter.revision(after: store),
            blockSize: configuration.blockSize)
        var sink = try upstream.provider.createDataSink(options: isAppend ? .append : [])
        var isWholeStore = !isAppend
        if isAppend {
            writer = try StoreWriter(appendingTo: store)
            let upstreamSize = upstream.provider.size
            guard upstreamSize == store.storedSize else {
                throw QuireError(
                    .conflict,
                    "the stored bytes were \(store.storedSize), are now \(upstreamSize)")
            }
            let discard = { (sink as? any OrderedDataSink)?.discardBase(beyond: $0) ?? false }
            // In place only behind a footer: what a crash leaves would else have none.
            let isInPlace =
                store.hasFooter
                && (store.committedEnd == store.storedSize || discard(store.committedEnd))
            if !isInPlace {
                sink = try upstream.provider.createDataSink(options: [])
                try store.bytes.copy(store.committedEnd, to: sink)
                isWholeStore = true
            }
        }
        return CompressedDataSink(
            writer: writer, upstream: sink, isWholeStore: isWholeStore, options: options,
            owner: self, base: base, configuration: configuration)
    }

    /// Commits the upstream's sink; the new revision is then read.
    public func replaceContents(with replacementDataSink: any DataSink) throws {
        guard let sink = replacementDataSink as? CompressedDataSink, sink.owner === self,
            let base = sink.base
        else { throw QuireError(.foreignSink, "the sink was not made by this provider") }
        try revisions.commit(on: base) {
            try sink.spend()
            return sink.upstream
        } adopt: {
            try adopt($0, from: sink, on: base.store)
        }
    }

    /// Deletes what the upstream refers to.
    public func deleteData() throws {
        try upstream.provider.deleteData()
        reopen()
    }

    /// Drops the cache and opens what the upstream now holds.
    public func clearCache() {
        upstream.provider.clearCache()
        reopen()
    }

    /// The snapshot of the present revision.
    func current() throws -> StoreSnapshot { try revisions.current() }

    /// The revision that a committed sink has made, seen through a view of the stored bytes.
    private func adopt(
        _ bytes: any DataProviding & Sendable, from sink: CompressedDataSink, on base: Store
    ) throws -> StoreSnapshot {
        let footer = sink.segments[sink.segments.count - 1].footer
        let isAppend = !sink.isWholeStore
        let store =
            bytes.size == footer.end
            ? Store(
                bytes: bytes, footer: footer, segments: sink.segments, storedSize: footer.end,
                epoch: isAppend ? base.epoch : nil)
            : try StoreReader.open(bytes)
        if !isAppend { reader.dropCache() }
        return StoreSnapshot(store, reader: reader)
    }

    private func reopen() {
        reader.dropCache()
        revisions.forget()
        _ = try? current()  // `error` is to say at once if there is no store any more
    }
}
