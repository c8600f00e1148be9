#if os(Linux)
    import Foundation
    import Synchronization

    /// Looks after the open files of the whole process, with one inotify descriptor and a watch for each folder.
    ///
    /// inotify makes it quick. A `stat` of every file each two seconds makes it complete: it finds what inotify
    /// does not tell (other hosts' changes of network files, mapped memory, writes through a hard link, renamed
    /// folders further up), and is all there is where inotify is missing or its limits are reached.
    final class FileWatcher: FileSignSource {
        static let shared = FileWatcher()

        private struct Entry {
            let monitor: FileMonitor
            let folder: String
            let name: String
            var status: OpenFile.Status?
        }

        private struct Folder {
            var watch: Int32?
            var status: OpenFile.Status?
            var members: [String: Set<ObjectIdentifier>] = [:]
        }

        private struct State {
            var inotify: Inotify?
            var source: (any DispatchSourceRead)?
            var entries: [ObjectIdentifier: Entry] = [:]
            var folders: [String: Folder] = [:]
            var paths: [Int32: Set<String>] = [:]
            var isLooking = false
        }

        private let state = Mutex(State())
        private let interval: DispatchTimeInterval
        private let watchLimit: Int
        private let queue = DispatchQueue(label: "quire.watch")

        /// - Parameters:
        ///   - interval: between two looks at all files.
        ///   - watchLimit: folders that are watched at most.
        init(interval: DispatchTimeInterval = .seconds(2), watchLimit: Int = .max) {
            self.interval = interval
            self.watchLimit = watchLimit
        }

        deinit { state.withLock { $0.source?.cancel() } }

        /// Files looked after, and folders watched by inotify.
        var counts: (files: Int, folders: Int) {
            state.withLock { ($0.entries.count, $0.paths.count) }
        }

        func add(_ monitor: FileMonitor) {
            let path = monitor.path
            let (folder, name) = path.splitAtLastSlash ?? ("/", path)
            let id = ObjectIdentifier(monitor)
            let status = try? OpenFile.status(of: path)
            state.withLock { state in
                guard state.entries[id] == nil else { return }
                state.entries[id] = Entry(
                    monitor: monitor, folder: folder, name: name, status: status)
                state.folders[folder, default: Folder()].members[name, default: []].insert(id)
                if state.folders[folder]?.watch == nil { arm(folder, &state) }
                if !state.isLooking {
                    state.isLooking = true
                    lookLater()
                }
            }
        }

        func remove(_ monitor: FileMonitor) {
            let id = ObjectIdentifier(monitor)
            state.withLock { state in
                guard let entry = state.entries.removeValue(forKey: id) else { return }
                state.folders[entry.folder]?.members[entry.name]?.remove(id)
                if state.folders[entry.folder]?.members[entry.name]?.isEmpty == true {
                    state.folders[entry.folder]?.members[entry.name] = nil
                }
                if state.folders[entry.folder]?.members.isEmpty == true {
                    disarm(entry.folder, &state)
                    state.folders[entry.folder] = nil
                }
            }
        }

        /// Signs are passed on under the lock, in the order of the events: who has drained has seen all of them.
        func drain() {
            state.withLock { state in
                for event in state.inotify?.events() ?? [] { pass(event, &state) }
            }
        }

        private func pass(_ event: Inotify.Event, _ state: inout State) {
            if event.contains(IN_Q_OVERFLOW) {
                // What was lost is not known: all have to be looked at.
                for entry in state.entries.values { entry.monitor.notice(.other) }
                return
            }
            for path in state.paths[event.watch] ?? [] {
                if event.contains(Inotify.folderBits) {
                    disarm(path, &state)
                    arm(path, &state)
                    for id in (state.folders[path]?.members.values.joined()).map(Array.init) ?? [] {
                        state.entries[id]?.monitor.notice(.other)
                    }
                    continue
                }
                for id in state.folders[path]?.members[event.name] ?? [] {
                    var signs: FileSigns = []
                    if event.contains(IN_MODIFY) { signs.insert(.written) }
                    if event.contains(IN_ATTRIB) { signs.insert(.attributes) }
                    state.entries[id]?.monitor.notice(signs.isEmpty ? .other : signs)
                }
            }
        }

        /// Watches a folder, if that can be done.
        private func arm(_ folder: String, _ state: inout State) {
            guard state.paths.count < watchLimit, let inotify = opened(&state) else { return }
            // Before the watch: if the folder is exchanged in between, the next look finds it.
            let status = try? OpenFile.status(of: folder)
            guard let status, let watch = inotify.add(folder) else { return }
            state.folders[folder]?.watch = watch
            state.folders[folder]?.status = status
            state.paths[watch, default: []].insert(folder)
        }

        private func disarm(_ folder: String, _ state: inout State) {
            guard let watch = state.folders[folder]?.watch else { return }
            state.folders[folder]?.watch = nil
            state.paths[watch]?.remove(folder)
            guard state.paths[watch]?.isEmpty == true else { return }
            state.paths[watch] = nil
            state.inotify?.remove(watch)
        }

        private func opened(_ state: inout State) -> Inotify? {
            if let inotify = state.inotify { return inotify }
            guard let inotify = Inotify() else { return nil }
            let source = DispatchSource.makeReadSource(
                fileDescriptor: inotify.descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.drain() }
            // Keeps the descriptor open until the source has let go of it.
            source.setCancelHandler { withExtendedLifetime(inotify) {} }
            source.resume()
            state.inotify = inotify
            state.source = source
            return inotify
        }

        // MARK: Looking

        private func lookLater() {
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval) {
                [weak self] in self?.look()
            }
        }

        /// Watches what could not be watched, and compares each file's status with that of the last time.
        private func look() {
            let (folders, entries) = state.withLock { ($0.folders, $0.entries) }
            for (path, folder) in folders {
                let status = try? OpenFile.status(of: path)
                let isSame = status.map { folder.status?.isSameFile(as: $0) == true } ?? false
                if folder.watch != nil, isSame { continue }
                state.withLock { state in
                    guard state.folders[path] != nil else { return }
                    disarm(path, &state)
                    if status != nil { arm(path, &state) }
                }
            }
            for (id, entry) in entries {
                let status = try? OpenFile.status(of: entry.monitor.path)
                guard status != entry.status else { continue }
                state.withLock { $0.entries[id]?.status = status }
                entry.monitor.notice(.other)
            }
            state.withLock { state in
                state.isLooking = !state.entries.isEmpty
                if state.isLooking { lookLater() }
            }
        }
    }
#endif
