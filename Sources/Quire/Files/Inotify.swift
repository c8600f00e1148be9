#if os(Linux)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A descriptor of inotify(7), on which folders are watched.
    final class Inotify: Sendable {
        /// Something that happened to a file in a watched folder, or to the folder if `name` is empty.
        struct Event {
            let watch: Int32
            let mask: UInt32
            let name: String

            func contains(_ bits: Int32) -> Bool { mask & UInt32(bits) != 0 }
        }

        /// The folder itself went, or is not watched any more.
        static let folderBits = IN_MOVE_SELF | IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT

        private static let watchedBits =
            IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM
            | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR

        let descriptor: Int32

        /// - Returns: nil where there is no inotify, or the user has too many of it (`max_user_instances`).
        init?() {
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }

        /// Watches the files in a folder.
        ///
        /// - Returns: the number of the watch, the same for the same folder; nil if it cannot be watched, as with
        ///   too many watches (`max_user_watches`).
        func add(_ folder: String) -> Int32? {
            let watch = unsafe inotify_add_watch(descriptor, folder, UInt32(Self.watchedBits))
            return watch < 0 ? nil : watch
        }

        func remove(_ watch: Int32) { _ = inotify_rm_watch(descriptor, watch) }

        /// What has happened since the last call. Does not wait.
        func events() -> [Event] {
            var events: [Event] = []
            unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { buffer in
                while true {
                    // SAFETY: read(2) fills at most the buffer, with whole events.
                    let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    let filled = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    unsafe events.append(contentsOf: Self.events(in: filled))
                }
            }
            return events
        }

        private static func events(in bytes: UnsafeRawBufferPointer) -> [Event] {
            var events: [Event] = []
            var start = 0
            let headerSize = MemoryLayout<inotify_event>.size
            while start + headerSize <= bytes.count {
                // SAFETY: each event is its header and `len` bytes of a name that NUL ends.
                let header = unsafe bytes.loadUnaligned(
                    fromByteOffset: start, as: inotify_event.self)
                let end = min(start + headerSize + Int(header.len), bytes.count)
                let name = unsafe bytes[start + headerSize..<end].prefix { $0 != 0 }
                events.append(
                    unsafe Event(
                        watch: header.wd, mask: header.mask,
                        name: String(decoding: name, as: UTF8.self)))
                start = end
            }
            return events
        }
    }
#endif
