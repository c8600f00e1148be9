import Foundation

/// What the interposer logged of a process: the changes of files, in order, and what the process said meanwhile.
enum DiskEvent {
    case create(inode: UInt64, name: String)
    case change(inode: UInt64, FileChange)
    case sync(inode: UInt64)
    case syncFolder
    case rename(from: String, to: String)
    case link(from: String, to: String)
    case unlink(String)
    case print(String)

    static func parse(_ log: Data) throws -> [DiskEvent] {
        var events: [DiskEvent] = []
        var rest = log[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            let words = line.split(separator: " ").map(String.init)
            func number(_ index: Int) throws -> Int {
                guard words.indices.contains(index), let value = Int(words[index]) else {
                    throw Wrong("a log with the line \(line)")
                }
                return value
            }
            let event: DiskEvent
            switch words.first {
            case "create": event = .create(inode: UInt64(try number(1)), name: words[2])
            case "write":
                let (offset, size) = (try number(2), try number(3))
                let bytes = Data(rest.prefix(size))
                rest = rest.dropFirst(size)
                event = .change(inode: UInt64(try number(1)), .write(offset, bytes))
            case "truncate":
                event = .change(inode: UInt64(try number(1)), .truncate(try number(2)))
            case "sync": event = .sync(inode: UInt64(try number(1)))
            case "syncfolder": event = .syncFolder
            case "rename": event = .rename(from: words[1], to: words[2])
            case "link": event = .link(from: words[1], to: words[2])
            case "unlink": event = .unlink(words[1])
            case "print": event = .print(String(line.dropFirst(6)))
            default: throw Wrong("a log with the line \(line)")
            }
            events.append(event)
        }
        return events
    }
}
