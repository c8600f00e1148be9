public import Foundation
import Synchronization

/// A file whose changes by others are noticed, reported, and resolved.
///
/// Reads are those of `FileDataProvider`. From the first one on, `coordinationDelegate` is told when others change the
/// contents, by whatever way, or take the file away; saves through this provider and mere metadata are not
/// told. What was opened stays what is read until a conflict is resolved. A file that was replaced, deleted or moved can
/// be read in full as it was; of one that others wrote in place that is lost, and reads fail with `conflict` once it
/// is noticed, rather than mix two versions. While a change is not resolved, saves fail with `conflict`.
///
/// A decorator holds a version of its own. After `resolveFileConflict(with:)` call the decorator's `clearCache()`, as
/// the SDK's `Document` does; `clearCache()` alone is a reload of both.
///
/// The file is the one at `fileURL` when the provider is made, through symbolic links. If it is moved away, nothing is
/// at that URL: that is a deletion.
///
/// On Linux one inotify descriptor serves the whole process, with a watch for each folder that has open files; a change
/// is reported some 50 ms after the last write. Where inotify is missing or its limits (`max_user_watches`) are reached,
/// and for what it does not tell, each open file is looked at every two seconds instead. Opening a file
/// reads up to 16 pieces of 4 KiB of it.
public final class CoordinatedFileDataProvider: NSObject, CoordinatedFileDataProviding,
    SnapshotProviding, ReferencedDataProviding, NSSecureCoding, Sendable
{
    private let file: FileDataProvider
    let monitor: FileMonitor
    private let state = Mutex(State())
    private let isClosed = Atomic(false)

    private struct State {
        weak var delegate: (any FileCoordinationDelegate)?
    }

    /// Refers to a file, which need not exist yet. It is looked after from the first successful read on.
    ///
    /// - Parameters:
    ///   - fileURL: a local file. A symbolic link is followed: its target is what is read, saved and looked after.
    ///   - progress: the making of the file, if it is not complete.
    public convenience init(fileURL: URL, progress: Progress? = nil) {
        #if os(Linux)
            self.init(fileURL: fileURL, progress: progress, source: FileWatcher.shared)
        #else
            self.init(fileURL: fileURL, progress: progress, source: FilePresenter(fileURL))
        #endif
    }

    init(fileURL: URL, progress: Progress? = nil, source: any FileSignSource) {
        file = FileDataProvider(fileURL: fileURL, progress: progress)
        monitor = FileMonitor(file: file, source: source)
        super.init()
        monitor.state.withLock {
            $0.report = { [weak self] type, done in self?.report(type, done) ?? done(nil) }
        }
    }

    deinit { monitor.source.remove(monitor) }

    static let referenceKind = "coordinated-file"

    /// As that of a `FileDataProvider`.
    public func reference() -> DataProviderReference {
        DataProviderReference(kind: Self.referenceKind, path: file.reference().path)
    }

    /// Archives hold the reference, not the file.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the reference.
    public func encode(with coder: NSCoder) { DataProviderReference.encode(self, with: coder) }

    /// Reads a reference. Nil if it is damaged; the file need not exist.
    public convenience init?(coder: NSCoder) {
        let kind = Self.referenceKind
        let url = DataProviderReference.decode(coder, kind: kind) { try $0.fileURL() }
        guard let url else { return nil }
        self.init(fileURL: url)
    }

    /// The file, as it was given.
    public var fileURL: URL? { file.fileURL }
    /// The same as of a `FileDataProvider`.
    public var uid: String { file.uid }
    /// Set if the file is still being made; until it is finished every access fails with `dataProviderIsInFlight`.
    public var progress: Progress? { file.progress }
    public var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }

    #if canImport(Darwin)
        /// Presents the file; registered from the first read until the provider is closed or released. An app that goes to
        /// the background has to release or close its providers, or the system may wait for them.
        public var filePresenter: any NSFilePresenter {
            // The source is always a presenter here; a bare one presents the file as well.
            monitor.source as? FilePresenter ?? FilePresenter(URL(fileURLWithPath: file.path))
        }
    #endif

    /// Is told of changes. Held weakly; set it before the first read.
    public var coordinationDelegate: (any FileCoordinationDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Bytes of the contents that are open; 0 if they cannot be opened (`error` says why).
    public var size: UInt64 {
        do { try open() } catch { return 0 }
        return file.size
    }

    /// The last error of an access, nil after a good one; `closed` once it is closed.
    public var error: (any Error)? {
        isClosed.load(ordering: .acquiring) ? Self.closed(file.path) : file.error
    }

    public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try open()
        return try file.readData(withSize: size, atOffset: offset)
    }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try open()
        try file.read(into: &output, atOffset: offset)
    }

    /// The whole document, of one version whatever is saved or loaded meanwhile.
    public func data() throws -> Data { try readData(withSize: .max, atOffset: 0) }

    /// The contents that are open; neither later saves nor reloads change them.
    public func makeSnapshot() throws -> any DataProviding & Sendable {
        try open()
        return try file.makeSnapshot()
    }

    /// Makes a sink on the contents that are open.
    ///
    /// - Throws: `closed`, and what `FileDataProvider` throws.
    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        do { try open() } catch QuireError.Code.fileNotFound {}
        return try file.createDataSink(options: options)
    }

    /// Commits as `FileDataProvider` does; nobody is told of it.
    ///
    /// - Throws: besides its errors `closed`; `conflict` while a change by others is not resolved.
    public func replaceContents(with replacementDataSink: any DataSink) throws {
        try failIfClosed()
        try monitor.commit(replacementDataSink)
    }

    /// Whether a writable file exists and this provider is not closed.
    public var canWrite: Bool { !isClosed.load(ordering: .acquiring) && file.canWrite }

    /// Deletes the file; nobody is told of it.
    public func deleteData() throws {
        try failIfClosed()
        try monitor.source.writing { try file.deleteData() }
        monitor.forget()
    }

    /// Opens what is now stored, as `reload` does: what others have changed is then read. If there is no file, what is open
    /// stays. A closed provider stays closed.
    public func clearCache() {
        guard monitor.isOpen, !isClosed.load(ordering: .acquiring) else {
            return file.clearCache()
        }
        try? monitor.reload()
    }

    // MARK: Conflicts

    /// What others did that has been noticed and not been resolved; nil if nothing.
    public var unresolvedConflict: FileConflictType? { monitor.conflict }

    /// Whether what is open can still be read in full, and saved: true until others write the open file in place.
    public var isConflictResolutionAvailable: Bool { monitor.hasSafeCopy }

    /// Ends a conflict. Without one, `reload` opens the same again, and `save` writes it again.
    ///
    /// - `close`: every access fails with `closed` from now on, and nothing is reported any more; this cannot be
    ///   undone. Reads under way, and snapshots, keep what they began with.
    /// - `save`: what is open is put in the place of whatever is there, in one step, with the permissions that it had. A
    ///   folder that is gone is not made again.
    /// - `reload`: what is there is read from now on, or, if it cannot be opened, what was open.
    ///
    /// Sinks made before belong to a version that is gone: their commit is a `conflict`.
    ///
    /// - Throws: `closed`; `fileNotFound` for a reload of a deleted file, or a save into a folder that is gone; `conflict` for
    ///   a save if the file was written in place, so that no copy is left (where the SDK does nothing), or if others are still
    ///   writing after ten seconds; `fileSystem`; `notDurable` as a commit.
    public func resolveFileConflict(with resolution: FileConflictResolution) throws {
        switch resolution {
        case .close:
            isClosed.store(true, ordering: .releasing)
            monitor.source.remove(monitor)
            monitor.forget()
            file.clearCache()
        case .save:
            try failIfClosed()
            try monitor.save()
        case .reload:
            try failIfClosed()
            try monitor.reload()
        }
    }

    private func report(
        _ type: FileConflictType, _ done: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard let delegate = coordinationDelegate, !isClosed.load(ordering: .acquiring) else {
            return done(nil)
        }
        switch type {
        case .modification: delegate.presentedItemDidChange(for: self)
        case .deletion:
            delegate.accommodatePresentedItemDeletion(for: self, completionHandler: done)
        }
    }

    private func open() throws {
        try failIfClosed()
        if !monitor.isOpen { try monitor.open() }
    }

    private func failIfClosed() throws {
        if isClosed.load(ordering: .acquiring) { throw Self.closed(file.path) }
    }

    private static func closed(_ path: String) -> QuireError {
        QuireError(.closed, "\(path) was closed to resolve a conflict")
    }
}
