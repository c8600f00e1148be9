import Foundation
import Quire

/// A copy of a file that is kept while something takes its place: `STORE.bak`, which never overwrites another.
struct Backup {
    let name: String
    private let file: String

    /// - Throws: if there is one already.
    init(of file: String) throws {
        self.file = file
        name = file + ".bak"
        // A link to nothing is there, too.
        var (own, there) = (stat(), stat())
        guard unsafe lstat(name, &there) == 0 else { return }
        // That of a repair which was killed before it replaced the file is still the file itself.
        guard unsafe stat(file, &own) == 0, own.st_dev == there.st_dev, own.st_ino == there.st_ino
        else { throw exists }
        remove()
    }

    /// Gives the file its second name; it is about to be replaced, so that this one keeps the old bytes.
    func make() throws {
        guard let resolved = unsafe realpath(file, nil) else {
            throw ToolError.system(errno, file)
        }
        // SAFETY: realpath allocated the string, which is freed behind its last use.
        defer { unsafe free(resolved) }
        if unsafe link(resolved, name) == 0 { return }
        guard errno != EEXIST else { throw exists }
        // A link from another file system, or a file system without links: a copy, which is there when it is whole.
        let source = try ByteStream(reading: file)
        let sink = try Destination(name: name, isForced: false)
            .makeSink(from: source.status, isCompressed: false)
        let meter = ProgressMeter("copying", file, total: source.size)
        defer { meter.clear() }
        try Transfer(meter: meter).run(to: sink) { try source.read(upTo: Transfer.pieceSize) }
        try sink.close()
    }

    /// Takes it back: the file was not replaced.
    func remove() { unsafe _ = unlink(name) }

    private var exists: ToolError {
        ToolError(
            line: "\(name): exists, and a backup is never overwritten; give --no-backup, or -o FILE"
        )
    }
}
