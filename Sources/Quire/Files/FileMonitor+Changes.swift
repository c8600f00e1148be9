import Foundation
import Synchronization

extension FileMonitor {
    private static let savePatience = DispatchTimeInterval.seconds(10)

    /// Opens the file, if it is not, and begins to look after it.
    func open() throws {
        source.add(self)  // first, so that no change falls in between
        try source.reading {
            let snapshot = try file.current()
            if state.withLock({ $0.opened?.snapshot !== snapshot }) {
                adopt(try FileIdentity(snapshot))
            }
        }
    }

    /// Lets go of the file, which is opened again at the next use.
    func forget() { adopt(nil) }

    /// Commits a sink that the file provider made.
    ///
    /// - Throws: besides its errors `conflict` if a change of others has not been resolved.
    func commit(_ sink: any DataSink) throws {
        source.add(self)
        try changing {
            if isDoubtful { look() }
            if let conflict {
                throw QuireError(
                    .conflict,
                    "\(path) was \(conflict == .deletion ? "deleted" : "changed") by another: resolve that first"
                )
            }
            do { try file.replaceContents(with: sink) } catch {
                // An append that failed half-way has written to the file, and cut it again.
                if (error as? QuireError)?.code != .conflict { excuseWriting() }
                throw error
            }
        }
    }

    /// Writes the contents that are open over whatever is there.
    func save() throws {
        try changing {
            look()
            guard let opened = state.withLock({ $0.opened }) else {
                throw QuireError(.fileNotFound, "\(path) is not open: there is nothing to save")
            }
            let there = try waiting { try Self.contents(of: path) }
            let sink = try file.createDataSink(
                over: there?.snapshot, withPermissionsOf: opened.status)
            var offset: UInt64 = 0
            while offset < opened.snapshot.size {
                let part = try opened.snapshot.readData(withSize: 1 << 20, atOffset: offset)
                try sink.put(part)
                offset += UInt64(part.count)
            }
            try sink.close()
            // What was copied is of one version if nobody has written to it until now.
            try opened.checkOverwriting(signs: [])
            try opened.snapshot.failIfOverwritten()
            try file.replaceContents(with: sink)
        }
    }

    /// Opens what is there. Until that is done, and if it fails, the old contents are read.
    func reload() throws {
        try changing {
            guard let found = try waiting({ try Self.contents(of: path) }) else {
                throw QuireError(.fileNotFound, "\(path) was deleted: it cannot be loaded again")
            }
            file.adopt(found.snapshot)
        }
    }

    /// Whether the file may have been changed in a way that only a look finds.
    private var isDoubtful: Bool {
        source.drain()
        return state.withLock { $0.signs.contains(.written) || $0.conflict != nil }
    }

    /// Takes what has been noticed for the provider's own doing, which left the contents as they were.
    private func excuseWriting() {
        source.drain()
        state.withLock { state in
            state.signs.remove(.written)
            guard let opened = state.opened, let status = try? opened.snapshot.file.status() else {
                return
            }
            state.opened = opened.dated(as: status)
        }
    }

    /// Runs a change of the provider's own. If it made another version, what has been noticed is its doing.
    private func changing(_ body: () throws -> Void) throws {
        state.withLock { $0.changeCount += 1 }
        defer { state.withLock { $0.changeCount -= 1 } }
        defer { adoptOwn() }  // also after an error: contents that are not durable are in place
        try source.writing(body)
    }

    private func adoptOwn() {
        // A sink of its own has committed itself: its contents are opened at the next use.
        guard let snapshot = file.opened else { return forget() }
        guard state.withLock({ $0.opened?.snapshot !== snapshot }) else { return }
        source.drain()
        state.withLock { _ = $0.signs.remove(.written) }
        adopt(try? FileIdentity(snapshot))
    }

    private func waiting<R>(_ body: () throws -> R) throws -> R {
        let deadline = DispatchTime.now() + Self.savePatience
        while true {
            do { return try body() } catch is Locked {
                guard DispatchTime.now() < deadline else {
                    throw QuireError(.conflict, "\(path) is being saved by another")
                }
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }
}
