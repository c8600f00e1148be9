import Foundation

/// A file system of 1 MiB, unmounted with it.
final class SmallDisk {
    let url: URL
    private let folder: TemporaryFolder

    static let isPossible = (try? SmallDisk()) != nil

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("disk")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let mounted = try run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", url.path)
        guard mounted.status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit { _ = try? run("umount", url.path) }
}
