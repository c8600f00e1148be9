import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a save was begun on: if the file is another by the time of the commit, the save has lost.
///
/// The file is told by device, inode, size and its last bytes, which hold the footer of a store and the trailer of a
/// PDF. Times are not looked at: touching a file does not change it.
struct FileBase {
    private static let tailSize: UInt64 = 4096
    private static let patience: TimeInterval = 10

    let path: String
    private typealias Content = (status: OpenFile.Status, size: UInt64, tail: [UInt8])
    private let content: Content?

    /// Whether there was no file.
    var isMissing: Bool { content == nil }
    /// The bytes of the file; 0 if there was none.
    var size: UInt64 { content?.size ?? 0 }

    /// - Parameter file: the file as it is read now; nil if there is none.
    init(path: String, file: FileSnapshot?) throws {
        self.path = path
        content = try file.map { (try $0.file.status(), $0.size, try Self.tail(of: $0)) }
    }

    /// Opens the file for writing and takes the writer's lock.
    ///
    /// - Returns: the locked file, nil if there was none and still is none.
    /// - Throws: `conflict` if the file has changed, or is still locked by another after ten seconds.
    func lock() throws -> OpenFile? {
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        while true {
            guard let content else {
                guard try OpenFile.status(of: path) == nil else { throw conflict("was created") }
                return nil
            }
            let file: OpenFile
            do { file = try OpenFile(path, O_RDWR, verb: "open for writing") } catch QuireError.Code
                .fileNotFound
            { throw conflict("was deleted") }
            guard try file.tryLock() else {
                guard Date() < deadline else { throw conflict("is being saved by another") }
                usleep(2_000)
                continue
            }
            do { try check(file, is: content) } catch {
                file.unlock()
                throw error
            }
            return file
        }
    }

    private func check(_ file: OpenFile, is content: Content) throws {
        // The lock may be on a file that was replaced while we waited: then another has saved.
        let status = try file.status()
        guard let named = try OpenFile.status(of: path), named.isSameFile(as: status) else {
            throw conflict("was replaced")
        }
        guard status.isSameFile(as: content.status), status.size == content.size,
            try Self.tail(of: FileSnapshot(file: file, size: status.size)) == content.tail
        else { throw conflict("was changed") }
    }

    private func conflict(_ what: String) -> QuireError {
        QuireError(.conflict, "\(path) \(what) since this save began; nothing was written")
    }

    private static func tail(of file: FileSnapshot) throws -> [UInt8] {
        let count = min(file.size, tailSize)
        return try file.readBytes(Int(count), at: file.size - count)
    }
}
