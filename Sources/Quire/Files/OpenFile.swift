import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file descriptor, closed when the last reader lets go of it. All its reads and writes are positional.
final class OpenFile: Sendable {
    /// What `fstat` says of the file, as far as Quire looks at it.
    struct Status: Equatable, Sendable {
        var device: UInt64
        var inode: UInt64
        var size: UInt64
        var mode: mode_t
        var owner: uid_t
        var group: gid_t
        var linkCount: UInt64
        var isRegular: Bool
        /// When its bytes were last written, and when anything about it last changed, in nanoseconds.
        var modified: Int64
        var changed: Int64

        /// Whether the two are the same file, whatever it is called now.
        func isSameFile(as other: Status) -> Bool { device == other.device && inode == other.inode }
    }

    /// The file's name in errors.
    let path: String
    private let descriptor: Int32

    /// Opens `path` with the flags of open(2).
    ///
    /// - Parameters:
    ///   - name: what the file is called in errors, if not by its path.
    ///   - verb: what is done, in errors.
    /// - Throws: `fileNotFound`, or `fileSystem` for anything else.
    init(
        _ path: String, _ flags: Int32, permissions: mode_t = 0o666, name: String? = nil,
        verb: String = "open"
    ) throws {
        self.path = name ?? path
        descriptor = try retrying(verb, self.path) {
            unsafe open(path, flags | O_CLOEXEC, permissions)
        }
    }

    deinit { close(descriptor) }

    func status() throws -> Status {
        var status = stat()
        try retrying("read the status of", path) { unsafe fstat(descriptor, &status) }
        return Status(status)
    }

    /// What lies at `path` now; nil if nothing does.
    static func status(of path: String) throws -> Status? {
        var status = stat()
        do { try retrying("look at", path) { unsafe stat(path, &status) } } catch QuireError.Code
            .fileNotFound
        { return nil }
        return Status(status)
    }

    /// Fills the free capacity of `output` from `offset` on; less only where the file ends.
    func read(into output: inout OutputRawSpan, at offset: UInt64) throws {
        guard var position = off_t(exactly: offset) else { return }
        while output.freeCapacity > 0 {
            let wanted = min(output.freeCapacity, 1 << 30)
            let count = try unsafe output.withUnsafeMutableBytes { buffer, initialized in
                // SAFETY: pread writes at most `wanted` bytes, which fit behind those initialized.
                let target = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
                let count = try retrying("read", path) {
                    unsafe pread(descriptor, target, wanted, position)
                }
                initialized += count
                return count
            }
            if count == 0 { return }
            position += off_t(count)
        }
    }

    /// Writes all of `bytes` at `offset`, going on after short writes.
    func write(_ bytes: RawSpan, at offset: UInt64) throws {
        try unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                // SAFETY: pwrite reads only the rest of the buffer, during the call.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                let wanted = min(rest.count, 1 << 30)
                let count = try retrying("write", path) {
                    unsafe pwrite(
                        descriptor, rest.baseAddress, wanted, off_t(offset) + off_t(done))
                }
                // A file system that takes nothing and says nothing would be asked for ever.
                guard count > 0 else { throw QuireError.system(EIO, "write", path) }
                done += count
            }
        }
    }

    func truncate(to size: UInt64) throws {
        try retrying("truncate", path) { ftruncate(descriptor, off_t(size)) }
    }

    /// Makes all that was written durable.
    func synchronize() throws {
        #if canImport(Darwin)
            // fsync on Apple platforms does not flush the drive's own cache; file systems without
            // F_FULLFSYNC fall back to it.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        try retrying("sync", path) { fsync(descriptor) }
    }

    func setPermissions(_ mode: mode_t, owner: uid_t, group: gid_t) throws {
        // Only root may give files away; for others the copy belongs to whoever saves.
        _ = fchown(descriptor, owner, group)
        try retrying("set the permissions of", path) { fchmod(descriptor, mode & 0o7777) }
    }

    /// Takes the writer's lock, which belongs to this open file description.
    ///
    /// - Parameter isShared: take the lock of those who only keep writers out while they look.
    /// - Returns: false if another has it.
    func tryLock(isShared: Bool = false) throws -> Bool {
        do {
            try setLock(isShared ? F_RDLCK : F_WRLCK, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB)
        } catch {
            guard [.EAGAIN, .EACCES].contains(QuireError.systemCode(of: error)) else {
                throw error
            }
            return false
        }
        return true
    }

    func unlock() { try? setLock(F_UNLCK, LOCK_UN) }

    private func setLock(_ type: Int32, _ operation: Int32) throws {
        #if os(Linux)
            var lock = flock()
            lock.l_type = Int16(type)
            lock.l_whence = Int16(SEEK_SET)
            try retrying("lock", path) { unsafe fcntl(descriptor, F_OFD_SETLK, &lock) }
        #else
            try retrying("lock", path) { flock(descriptor, operation) }
        #endif
    }

    /// Makes this empty file share the blocks of `source`, where the file system can.
    ///
    /// - Returns: false if it cannot.
    func clone(from source: OpenFile) -> Bool {
        #if os(Linux)
            let ficlone: UInt = 0x4004_9409  // _IOW(0x94, 9, int), linux/fs.h
            return ioctl(descriptor, ficlone, source.descriptor) == 0
        #else
            return false
        #endif
    }
}

extension OpenFile.Status {
    fileprivate init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        size = UInt64(max(0, status.st_size))
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        linkCount = UInt64(status.st_nlink)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        #if canImport(Darwin)
            let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (written, changed) = (status.st_mtim, status.st_ctim)
        #endif
        modified = Int64(written.tv_sec) &* 1_000_000_000 &+ Int64(written.tv_nsec)
        self.changed = Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec)
    }
}

/// Runs a system call again while signals interrupt it.
@discardableResult
func retrying<R: SignedInteger>(_ verb: String, _ path: String, _ call: () -> R) throws -> R {
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw QuireError.system(code, verb, path) }
    }
}

extension QuireError {
    static func notDurable(_ path: String, _ what: String, because cause: any Error) -> QuireError {
        QuireError(
            .notDurable, "\(path) is saved, but \(what) cannot be synced",
            underlying: (cause as? QuireError)?.underlying)
    }

    /// The system's number for an error that came of it.
    static func systemCode(of error: any Error) -> POSIXErrorCode? {
        ((error as? QuireError)?.underlying as? POSIXError)?.code
    }

    static func system(_ code: Int32, _ verb: String, _ path: String) -> QuireError {
        let reason = unsafe String(cString: strerror(code))
        return QuireError(
            code == ENOENT ? .fileNotFound : .fileSystem, "cannot \(verb) \(path): \(reason)",
            underlying: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
    }
}
