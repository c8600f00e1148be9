public import Foundation

/// A change of a file that a power cut may undo until the file is synced.
public enum FileChange: Sendable {
    /// These bytes at this place.
    case write(Int, Data)
    /// The size becomes this.
    case truncate(Int)
}

/// What becomes of a change at a power cut.
enum Fate {
    case kept, missing, zeros
    /// Up to a byte of the file it is there; behind it is what was there before, or are zeros.
    case head(Int), headThenZeros(Int)
    /// From a byte of the file on it is there.
    case tail(Int)
}

/// What becomes of the size of a file.
enum SizeFate: CaseIterable {
    case asWritten, old, greatest

    func apply(to bytes: inout Data, safe: Int, longest: Int) {
        switch self {
        case .asWritten: break
        case .old: FileChange.truncate(safe).apply(to: &bytes)
        case .greatest: FileChange.truncate(longest).apply(to: &bytes)
        }
    }
}

extension FileChange {
    var name: String {
        switch self {
        case .write(let offset, let bytes): "write \(offset)+\(bytes.count)"
        case .truncate(let size): "truncate \(size)"
        }
    }

    var fates: [Fate] {
        guard case .write(let offset, let bytes) = self else { return [.kept, .missing] }
        let edges = stride(from: (offset / 512 + 1) * 512, to: offset + bytes.count, by: 512)
        return [.kept, .missing, .zeros]
            + edges.flatMap { [.head($0), .headThenZeros($0), .tail($0)] }
    }

    func apply(to bytes: inout Data, _ fate: Fate = .kept) {
        switch (self, fate) {
        case (_, .missing): break
        case (.truncate(let size), _):
            if size < bytes.count {
                bytes = bytes.prefix(size)
            } else {
                bytes.append(Data(count: size - bytes.count))
            }
        case (.write(let offset, let new), .kept): Self.put(new, at: offset, in: &bytes)
        case (.write(let offset, let new), .zeros):
            Self.put(Data(count: new.count), at: offset, in: &bytes)
        case (.write(let offset, let new), .head(let edge)):
            Self.put(new.prefix(edge - offset), at: offset, in: &bytes)
        case (.write(let offset, let new), .headThenZeros(let edge)):
            let zeros = Data(count: offset + new.count - edge)
            Self.put(new.prefix(edge - offset) + zeros, at: offset, in: &bytes)
        case (.write(let offset, let new), .tail(let edge)):
            Self.put(new.dropFirst(edge - offset), at: edge, in: &bytes)
        }
    }

    private static func put(_ new: Data, at offset: Int, in bytes: inout Data) {
        if bytes.count < offset + new.count {
            bytes.append(Data(count: offset + new.count - bytes.count))
        }
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
    }
}
