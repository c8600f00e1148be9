import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is being written beside its target, and is gone unless it is published.
///
/// Its name is the target's with a dot before it, 16 random digits and `.quire-tmp` behind. While its writer lives it is
/// locked: one that can be locked was left by a crash, and the next writer removes it.
final class TemporaryFile {
    static let suffix = ".quire-tmp"

    let file: OpenFile
    private let path: String
    private var isPublished = false

    /// Makes the file in the folder of `target`.
    init(beside target: String) throws {
        Self.removeStale(beside: target)
        let (folder, prefix) = Self.place(beside: target)
        while true {
            let random = String(UInt64.random(in: 0 ... .max), radix: 16)
            let path = "\(folder)/\(prefix)\(random)\(Self.suffix)"
            let file: OpenFile
            do {
                file = try OpenFile(
                    path, O_RDWR | O_CREAT | O_EXCL, name: target,
                    verb: "make a temporary file beside")
            } catch {
                if QuireError.systemCode(of: error) == .EEXIST { continue }
                throw error
            }
            do {
                // Between its making and its lock another writer may have taken it for stale.
                guard try file.tryLock(), try file.status().linkCount > 0 else { continue }
            } catch {
                unsafe _ = unlink(path)
                throw error
            }
            self.file = file
            self.path = path
            return
        }
    }

    deinit { if !isPublished { unsafe _ = unlink(path) } }

    /// Takes the file's name away while it stays open: nothing is left even if the process is killed.
    func makeAnonymous() {
        unsafe _ = unlink(path)
        isPublished = true
    }

    /// Puts the file in the place of `target`, in one step, and makes that durable.
    ///
    /// - Parameter mustBeNew: throw `conflict` if there is something at `target`.
    /// - Throws: `notDurable` if the file is in place and its folder cannot be synced; after anything else the target
    ///   is as it was.
    func publish(as target: String, mustBeNew: Bool) throws {
        try file.synchronize()
        // Opened before the step that cannot be undone.
        let folder = try Self.folder(of: target)
        // Unlocked only under its new name: an unlocked temporary is a stale one.
        defer { file.unlock() }
        if mustBeNew {
            try publishNew(as: target)
        } else {
            try retrying("replace", target) { unsafe rename(path, target) }
        }
        isPublished = true
        try Self.synchronize(folder, of: target)
    }

    /// Makes the name of `target` durable.
    ///
    /// - Throws: `notDurable`.
    static func synchronizeFolder(of target: String) throws {
        let folder: OpenFile?
        do { folder = try self.folder(of: target) } catch {
            throw QuireError.notDurable(target, "its folder", because: error)
        }
        try synchronize(folder, of: target)
    }

    private static func synchronize(_ folder: OpenFile?, of target: String) throws {
        do { try folder?.synchronize() } catch {
            // Some file systems cannot sync a folder; there is then nothing more to be done.
            if [.EINVAL, .EOPNOTSUPP].contains(QuireError.systemCode(of: error)) { return }
            throw QuireError.notDurable(target, "its folder", because: error)
        }
    }

    /// The folder, to be synced; nil if it may not be read, and hence not be synced either.
    private static func folder(of target: String) throws -> OpenFile? {
        do { return try OpenFile(split(target).folder, O_RDONLY) } catch {
            if QuireError.systemCode(of: error) == .EACCES { return nil }
            throw error
        }
    }

    private func publishNew(as target: String) throws {
        // link(2) is the portable way to create a name only if there is none.
        if unsafe link(path, target) == 0 {
            unsafe _ = unlink(path)
            return
        }
        if errno == EEXIST {
            throw QuireError(.conflict, "\(target) was created meanwhile")
        }
        // No hard links here (FAT): the check and the renaming cannot be one step.
        guard try OpenFile.status(of: target) == nil else {
            throw QuireError(.conflict, "\(target) was created meanwhile")
        }
        try retrying("create", target) { unsafe rename(path, target) }
    }

    /// Removes what writers of `target` that were killed have left.
    static func removeStale(beside target: String) {
        let (folder, prefix) = place(beside: target)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = "\(folder)/\(name)"
            guard let file = try? OpenFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK),
                (try? file.tryLock()) == true
            else { continue }
            unsafe _ = unlink(path)
        }
    }

    /// The folder of temporaries, and how their names begin.
    private static func place(beside target: String) -> (folder: String, prefix: String) {
        let (folder, name) = split(target)
        return (folder, ".\(shortened(name)).")
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        path.splitAtLastSlash ?? (".", path)
    }

    /// As much of the name as fits with what is put around it: a name has at most 255 bytes.
    private static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > 200 { name.removeLast() }
        return name
    }
}

extension String {
    /// The folder and the name of a path; nil if it has no slash. By bytes: a name may begin with what combines with a slash.
    package var splitAtLastSlash: (folder: String, name: String)? {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = String(decoding: utf8[utf8.index(after: slash)...], as: UTF8.self)
        return (slash == startIndex ? "/" : String(decoding: utf8[..<slash], as: UTF8.self), name)
    }

    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }
}
