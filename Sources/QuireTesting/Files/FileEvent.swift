public import Foundation
import Quire

/// What a process did to the files of a folder, or said, as a `FileFaultInjector` recorded it. Files are called by their inode.
public enum FileEvent: Sendable {
    /// A file was made.
    case create(inode: UInt64, name: String)
    /// A file was written to, or its size changed.
    case change(inode: UInt64, FileChange)
    /// A file was synced: its changes are safe.
    case sync(inode: UInt64)
    /// The folder was synced: its names are safe.
    case syncFolder
    /// A name was changed, and what had the new one is gone.
    case rename(from: String, to: String)
    /// A file got a second name.
    case link(from: String, to: String)
    /// A name was removed.
    case unlink(String)
    /// A line of standard output, such as that a save is done.
    case print(String)

    /// The events of a record, in order.
    ///
    /// - Throws: `QuireError`, `invalidArgument`, if it is no record of an injector.
    public static func events(in record: Data) throws -> [FileEvent] {
        var events: [FileEvent] = []
        var rest = record[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            let words = line.split(separator: " ").map(String.init)
            func word(_ index: Int) throws -> String {
                guard words.indices.contains(index) else { throw QuireError.noRecord(line) }
                return words[index]
            }
            func number(_ index: Int) throws -> Int {
                guard let value = Int(try word(index)), value >= 0 else {
                    throw QuireError.noRecord(line)
                }
                return value
            }
            let event: FileEvent
            switch words.first {
            case "create": event = .create(inode: UInt64(try number(1)), name: try word(2))
            case "write":
                let (offset, size) = (try number(2), try number(3))
                guard rest.count >= size else { throw QuireError.noRecord(line) }
                let bytes = Data(rest.prefix(size))
                rest = rest.dropFirst(size)
                event = .change(inode: UInt64(try number(1)), .write(offset, bytes))
            case "truncate":
                event = .change(inode: UInt64(try number(1)), .truncate(try number(2)))
            case "sync": event = .sync(inode: UInt64(try number(1)))
            case "syncfolder": event = .syncFolder
            case "rename": event = .rename(from: try word(1), to: try word(2))
            case "link": event = .link(from: try word(1), to: try word(2))
            case "unlink": event = .unlink(try word(1))
            case "print": event = .print(String(line.dropFirst(6)))
            default: throw QuireError.noRecord(line)
            }
            events.append(event)
        }
        return events
    }
}

extension QuireError {
    fileprivate static func noRecord(_ line: String) -> QuireError {
        QuireError(.invalidArgument, "a record of a process's files has the line \(line)")
    }
}
