import Foundation
import Quire

/// What the system says of a file: which one it is, of what kind, how large and how open.
struct FileStatus {
    enum Kind { case regular, directory, other }

    let kind: Kind
    let size: UInt64
    let permissions: mode_t
    private let device: UInt64
    private let inode: UInt64

    /// What lies at `path`, symbolic links followed; nil if nothing does.
    init?(path: String) throws {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw ToolError.system(errno, path)
        }
        self.init(status)
    }

    init(descriptor: Int32, name: String) throws {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw ToolError.system(errno, name)
        }
        self.init(status)
    }

    private init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        default: kind = .other
        }
        size = UInt64(max(0, status.st_size))
        permissions = status.st_mode & 0o777
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// The file at `path` as the kernel finds it: a URL folds `..` without asking what lies before it.
    static func url(of path: String) -> URL {
        let (folder, name) = path.splitAtLastSlash ?? (".", path)
        guard name != "..", name != ".", !name.isEmpty,
            let resolved = unsafe realpath(folder, nil)
        else { return URL(fileURLWithPath: path) }
        // SAFETY: realpath allocated the string, which is copied before it is freed.
        defer { unsafe free(resolved) }
        return URL(fileURLWithPath: unsafe String(cString: resolved)).appendingPathComponent(name)
    }

    /// Whether both are one regular file, whatever it is called.
    func isSameFile(as other: FileStatus) -> Bool {
        kind == .regular && device == other.device && inode == other.inode
    }
}
