public import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Collects the bytes of a save of a file.
///
/// A replacement goes into a temporary file in the target's folder, an append is staged (in memory up to 1 MiB): the
/// target changes in one step, at the commit. That is `FileDataProvider.replaceContents(with:)` for a sink made by a
/// provider, and `finish()` for one made by `init(fileURL:options:)`.
public final class FileDataSink: OrderedDataSink {
    /// The file that the commit changes.
    public let fileURL: URL
    /// The options that the sink was made with.
    public let options: DataSinkOptions
    /// The provider that made it; nil if it commits itself.
    let owner: FileDataProvider?
    private let base: FileBase
    /// Whose permissions a file gets that is not there at the commit.
    var model: OpenFile.Status?
    private var life = SinkLife()
    private var bytes: Bytes
    private var barriers: [UInt64] = []
    private var keptBaseSize: UInt64

    private enum Bytes {
        case replacement(TemporaryFile, count: UInt64)
        case append(StagedBytes)
    }

    /// Makes a sink that writes `fileURL` on its own: `finish()` puts the new contents in place, in one step.
    ///
    /// - Throws: `fileSystem` if the folder cannot be written.
    public convenience init(fileURL: URL, options: DataSinkOptions = []) throws {
        let path = FileDataProvider.resolvedPath(of: fileURL)
        let snapshot: FileSnapshot?
        do { snapshot = try FileSnapshot(path: path) } catch QuireError.Code.fileNotFound {
            snapshot = nil
        }
        try self.init(
            fileURL: fileURL, options: options, owner: nil,
            base: FileBase(path: path, file: snapshot))
    }

    init(fileURL: URL, options: DataSinkOptions, owner: FileDataProvider?, base: FileBase) throws {
        self.fileURL = fileURL
        self.options = options
        self.owner = owner
        self.base = base
        keptBaseSize = base.size
        bytes =
            options.contains(.append) && !base.isMissing
            ? .append(StagedBytes(target: base.path))
            : .replacement(try TemporaryFile(beside: base.path), count: 0)
    }

    /// Whether `finish()` has been called.
    public var isFinished: Bool { life.isFinished }
    /// Why the sink failed; nil if it has not.
    public var failure: (any Error)? { life.failure }

    /// Appends these bytes; false on a full disk or another error.
    public func write(_ data: Data) -> Bool {
        life.step {
            switch bytes {
            case .replacement(let temporary, let count):
                try temporary.file.write(data.bytes, at: count)
                bytes = .replacement(temporary, count: count + UInt64(data.count))
            case .append(var staged):
                bytes = .append(StagedBytes(target: base.path))  // so that `staged` is not copied
                try staged.append(data)
                bytes = .append(staged)
            }
        }
    }

    /// Says that no more bytes come; a sink without a provider commits here.
    public func finish() -> Bool {
        life.finish {
            if owner == nil, let error = try commit().notDurable { throw error }
        }
    }

    /// Everything written so far is synced before anything that follows is written.
    public func barrier() -> Bool {
        life.step { if case .append(let staged) = bytes { barriers.append(staged.count) } }
    }

    /// Removes the bytes from `size` on at the commit of an append.
    public func discardBase(beyond size: UInt64) -> Bool {
        guard case .append(let staged) = bytes, staged.count == 0, size <= base.size else {
            return false
        }
        keptBaseSize = size
        return true
    }

    /// Commits a finished sink of a provider.
    ///
    /// - Returns: the new contents, and the error if they are in place without being durable.
    func spend() throws -> (FileSnapshot?, notDurable: (any Error)?) {
        try life.spend()
        return owner == nil ? (nil, nil) : try commit()
    }

    private func commit() throws -> (FileSnapshot?, notDurable: (any Error)?) {
        // Before the lock: what a crash left of a new file may be another name of it.
        if case .append = bytes { TemporaryFile.removeStale(beside: base.path) }
        let current = try base.lock()
        // Not left to the closing: a process that was forked meanwhile has the descriptor, too.
        defer { current?.unlock() }
        switch bytes {
        case .replacement(let temporary, let count):
            if let status = try current?.status() ?? model {
                try temporary.file.setPermissions(
                    status.mode, owner: status.owner, group: status.group)
            }
            return try publish(temporary, of: count, mustBeNew: current == nil)
        case .append(let staged):
            guard let current else { throw QuireError(.conflict, "\(base.path) is gone") }
            return try append(staged, to: current)
        }
    }

    private func publish(
        _ temporary: TemporaryFile, of size: UInt64, mustBeNew: Bool
    ) throws -> (FileSnapshot?, notDurable: (any Error)?) {
        let snapshot = FileSnapshot(file: temporary.file, size: size)
        do { try temporary.publish(as: base.path, mustBeNew: mustBeNew) } catch let error
            as QuireError where error.code == .notDurable
        { return (snapshot, error) }
        return (snapshot, nil)
    }

    private func append(
        _ staged: StagedBytes, to current: OpenFile
    ) throws -> (FileSnapshot?, notDurable: (any Error)?) {
        let size = keptBaseSize + staged.count
        if barriers.isEmpty, staged.count > 0, let clone = try cloneOf(current) {
            // A plain file: it must not be seen half appended, so a clone of it is appended to and swapped in.
            try clone.file.truncate(to: keptBaseSize)
            try staged.copy(0..<staged.count, to: clone.file, at: keptBaseSize)
            return try publish(clone, of: size, mustBeNew: false)
        }
        let contents = FileSnapshot(file: current, size: size)
        var done: UInt64 = 0
        do {
            if keptBaseSize < base.size {
                try current.truncate(to: keptBaseSize)
                try current.synchronize()
            }
            for mark in barriers + [staged.count] {
                if done < mark {
                    try staged.copy(done..<mark, to: current, at: keptBaseSize + done)
                }
                done = mark
                try current.synchronize()
            }
        } catch let failure {
            do { try current.truncate(to: keptBaseSize) } catch {
                // All of it is there and cannot be taken back: called a failure, it would be saved twice.
                guard done == staged.count else { throw failure }
                return (contents, QuireError.notDurable(base.path, "it", because: failure))
            }
            // Durably, or a power cut may bring it back behind the bytes of the next append.
            try? current.synchronize()
            throw failure
        }
        do {
            if owner?.isNameDurable != true {
                try TemporaryFile.synchronizeFolder(of: base.path)
            }
        } catch { return (contents, error) }
        return (contents, nil)
    }

    private func cloneOf(_ current: OpenFile) throws -> TemporaryFile? {
        guard let temporary = try? TemporaryFile(beside: base.path),
            temporary.file.clone(from: current)
        else { return nil }
        let status = try current.status()
        try temporary.file.setPermissions(status.mode, owner: status.owner, group: status.group)
        return temporary
    }
}
