public import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file, read by position and saved atomically.
///
/// It is opened at the first use and kept open: a file that another process replaces is read as it was until
/// `clearCache()`. Reads take no lock while they are in the kernel.
public final class FileDataProvider: NSObject, FileDataProviding, SnapshotProviding,
    ReferencedDataProviding, NSSecureCoding, Sendable
{
    /// The file, as it was given.
    public let fileURL: URL?
    /// Digest of the path, relative to the home folder where it lies in it, as an app's container moves.
    public let uid: String
    /// Set if the file is still being made; until it is finished every access fails with `dataProviderIsInFlight`.
    public let progress: Progress?

    private let url: URL
    /// The path with symbolic links followed.
    let path: String
    private let referencePath: String
    private let state = Mutex(State())

    private struct State {
        var current: FileSnapshot?
        var error: (any Error)?
        var isNameDurable = false
    }

    /// Whether the open file's name is known to be durable. Another writer may have been killed between renaming and
    /// syncing; what is appended is lost with the name.
    var isNameDurable: Bool { state.withLock { $0.isNameDurable } }

    /// Refers to a file, which need not exist yet.
    ///
    /// - Parameters:
    ///   - fileURL: a local file. A symbolic link is followed: its target is what is read and saved.
    ///   - progress: the making of the file, if it is not complete.
    public init(fileURL: URL, progress: Progress? = nil) {
        url = fileURL
        self.fileURL = fileURL
        self.progress = progress
        path = Self.resolvedPath(of: fileURL)
        let isAtHome = path.hasPrefix(Self.home)
        referencePath = isAtHome ? "~/" + path.dropFirst(Self.home.count) : path
        uid = "file-" + ContentDigest.hex(of: referencePath)
    }

    // MARK: References

    static let referenceKind = "file"

    /// The path, from `~/` on if it is in the home folder. A progress is not part of it.
    public func reference() -> DataProviderReference {
        DataProviderReference(kind: Self.referenceKind, path: referencePath)
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

    // MARK: Data

    public var additionalOperationsSupported: DataProvidingAdditionalOperations { .write }

    /// Bytes of the file when it was opened or last saved; 0 if it cannot be opened (`error` says why).
    public var size: UInt64 { (try? current())?.size ?? 0 }

    /// The last error of an access, nil after a good one.
    public var error: (any Error)? { state.withLock { $0.error } }

    public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try noting { try current().readData(withSize: size, atOffset: offset) }
    }

    public func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try noting { try current().read(into: &output, atOffset: offset) }
    }

    /// The whole file, of one version whatever is saved meanwhile.
    public func data() throws -> Data { try readData(withSize: .max, atOffset: 0) }

    /// The file as it is now open; later saves do not change it.
    public func makeSnapshot() throws -> any DataProviding & Sendable { try current() }

    /// Makes a sink on the file as it is now read. O(1), whatever the file's size.
    ///
    /// - Throws: `dataProviderIsInFlight`; `fileSystem` if the folder cannot be written.
    public func createDataSink(options: DataSinkOptions) throws -> any DataSink {
        try FileDataSink(
            fileURL: url, options: options, owner: self,
            base: FileBase(path: path, file: try currentIfPresent()))
    }

    /// Puts the contents of the sink in place, durably.
    ///
    /// A replacement is synced, renamed over the file with its permissions, and the folder synced. An append is written
    /// behind the file and synced, in the order that the sink's barriers ask for, and with the first one the folder;
    /// without a barrier, and where the file system can clone, a clone is appended to and renamed over the file.
    ///
    /// - Throws: besides the protocol's errors `dataProviderIsInFlight`, `fileSystem`; `notDurable` if the new contents are in
    ///   place, and read from now on, but could not be made durable.
    public func replaceContents(with replacementDataSink: any DataSink) throws {
        try failIfInFlight()
        guard let sink = replacementDataSink as? FileDataSink,
            sink.owner === self
                || sink.owner == nil && Self.resolvedPath(of: sink.fileURL) == path
        else {
            throw QuireError(.foreignSink, "the sink was not made by this provider")
        }
        // A sink of its own on the same file has put its contents in place when it was finished.
        let (committed, error) = try sink.spend()
        state.withLock {
            $0 = State(current: committed, isNameDurable: committed != nil && error == nil)
        }
        if let error { throw error }
    }

    /// Whether a writable file exists.
    public var canWrite: Bool {
        unsafe access(path, W_OK) == 0 && !isInFlight
    }

    /// Deletes the file.
    public func deleteData() throws {
        try failIfInFlight()
        try retrying("delete", path) { unsafe unlink(path) }
        clearCache()
    }

    /// Opens the file anew at the next access. Reads under way keep the file that they began with.
    public func clearCache() { state.withLock { $0 = State() } }

    private var isInFlight: Bool { progress.map { !$0.isFinished } ?? false }

    private func failIfInFlight() throws { if isInFlight { throw QuireError.inFlight } }

    /// The file as it is open; it is opened at the first use.
    func current() throws -> FileSnapshot {
        try failIfInFlight()
        if let current = state.withLock({ $0.current }) { return current }
        return try noting {
            let opened = try FileSnapshot(path: path)
            return state.withLock { state in
                let current = state.current ?? opened
                state.current = current
                return current
            }
        }
    }

    /// The file as it is open; nil if it is not.
    var opened: FileSnapshot? { state.withLock { $0.current } }

    /// Reads this version from now on; reads under way keep the file that they began with.
    func adopt(_ snapshot: FileSnapshot) { state.withLock { $0 = State(current: snapshot) } }

    /// The same, unless another version than `old` is open by now.
    func adopt(_ snapshot: FileSnapshot, insteadOf old: FileSnapshot) {
        state.withLock {
            if $0.current === old { ($0.current, $0.isNameDurable) = (snapshot, false) }
        }
    }

    /// A sink that replaces what is at the path, instead of what is open.
    func createDataSink(
        over there: FileSnapshot?, withPermissionsOf model: OpenFile.Status
    ) throws -> FileDataSink {
        let sink = try FileDataSink(
            fileURL: url, options: [], owner: self, base: FileBase(path: path, file: there))
        sink.model = model
        return sink
    }

    private func currentIfPresent() throws -> FileSnapshot? {
        do { return try current() } catch QuireError.Code.fileNotFound { return nil }
    }

    private func noting<R>(_ body: () throws -> R) throws -> R {
        do {
            let result = try body()
            state.withLock { if $0.error != nil { $0.error = nil } }
            return result
        } catch {
            state.withLock { $0.error = error }
            throw error
        }
    }

    /// The path with symbolic links followed, so that a save replaces the file and leaves the link.
    package static func resolvedPath(of url: URL) -> String { resolvedPath(url.path) }

    private static func resolvedPath(_ path: String, depth: Int = 0) -> String {
        if let resolved = realPath(path) { return resolved }
        // What does not exist yet is in a folder that does; a link to nothing is followed, a save is to make its target.
        guard let (folder, name) = path.splitAtLastSlash else { return path }
        guard let resolved = realPath(folder), !["", ".", ".."].contains(name) else { return path }
        let full = (resolved == "/" ? "" : resolved) + "/" + name
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full)
        guard let target, depth < 40 else { return full }
        return resolvedPath(
            target.isAbsolutePath ? target : resolved + "/" + target, depth: depth + 1)
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        // SAFETY: realpath allocated the string, which is copied before it is freed.
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static let home = NSHomeDirectory() + "/"
}

/// A file as it was at one moment: its descriptor and its size.
final class FileSnapshot: DataProviding, Sendable {
    let file: OpenFile
    let size: UInt64
    private let overwritten = Atomic(false)

    init(file: OpenFile, size: UInt64) {
        self.file = file
        self.size = size
    }

    convenience init(path: String) throws {
        let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
        let status = try file.status()
        guard status.isRegular else {
            throw QuireError(.fileSystem, "\(path) is not a regular file")
        }
        self.init(file: file, size: status.size)
    }

    var uid: String { file.path }

    /// Whether the file was written in place, so that what is read would be of two versions.
    var isOverwritten: Bool { overwritten.load(ordering: .acquiring) }

    /// Lets every read fail from now on.
    func noteOverwriting() { overwritten.store(true, ordering: .releasing) }

    func failIfOverwritten() throws {
        guard isOverwritten else { return }
        throw QuireError(
            .conflict, "\(file.path) was written in place by another since it was opened")
    }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try clampedData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let count = clampedCount(UInt64(output.freeCapacity), at: offset)
        guard count > 0 else { return }
        try failIfOverwritten()
        try output.append(upTo: count) { part in
            try file.read(into: &part, at: offset)
            guard part.freeCapacity == 0 else {
                throw QuireError(
                    .truncated, "\(file.path) was cut to less than its \(size) bytes",
                    fileOffset: offset + UInt64(part.byteCount))
            }
        }
        try failIfOverwritten()
    }
}
