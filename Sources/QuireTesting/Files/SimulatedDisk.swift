public import Foundation
import Quire

/// A folder as a power cut may find it: for each file the bytes that are safe and the changes that are not, and the same for
/// the names.
///
/// What was written since a file's last sync may be there or not, in any combination, and so may each change of a name since
/// the folder's. To replay the power cuts of a process, make the disk before it runs; then take its events one by one, and look
/// before each at the images that a cut may leave.
public struct SimulatedDisk: Sendable {
    private struct File: Sendable {
        var safe: Data
        var pending: [FileChange] = []
    }

    /// Names that change in one step: one may go, one may come.
    private struct NameChange: Sendable {
        var removed: String?
        var added: (name: String, file: Int)?
    }

    private var files: [File] = []
    /// Indices of files by inode: the number of a file that is gone is given again.
    private var places: [UInt64: Int] = [:]
    private var names: [String: Int] = [:]
    private var safeNames: [String: Int] = [:]
    private var pendingNames: [NameChange] = []

    /// The files that are in a folder, and no others; all of them are safe.
    ///
    /// - Throws: the errors of reading them.
    public init(_ folder: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let url = folder.appending(path: name)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                let inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
            else { continue }
            names[name] = add(File(safe: try Data(contentsOf: url)), inode)
        }
        safeNames = names
    }

    /// Safe bytes of the largest file, at least 1.
    public var byteCount: Int { files.reduce(1) { max($0, $1.safe.count) } }

    /// Takes the next event of the process.
    ///
    /// - Throws: `QuireError`, `invalidArgument`, if it is of a file that was never made.
    public mutating func apply(_ event: FileEvent) throws {
        switch event {
        case .create(let inode, let name):
            add(name, add(File(safe: Data()), inode))
        case .change(let inode, let change): files[try place(inode)].pending.append(change)
        case .sync(let inode):
            let place = try place(inode)
            var bytes = files[place].safe
            for change in files[place].pending { change.apply(to: &bytes) }
            files[place] = File(safe: bytes)
        case .syncFolder:
            safeNames = names
            pendingNames = []
        case .rename(let from, let to):
            guard let file = names.removeValue(forKey: from) else {
                throw QuireError.unknownFile
            }
            names[to] = file
            pendingNames.append(NameChange(removed: from, added: (to, file)))
        case .link(let from, let to):
            guard let file = names[from] else { throw QuireError.unknownFile }
            add(to, file)
        case .unlink(let name):
            names[name] = nil
            pendingNames.append(NameChange(removed: name))
        case .print: break
        }
    }

    private mutating func add(_ file: File, _ inode: UInt64) -> Int {
        places[inode] = files.count
        files.append(file)
        return files.count - 1
    }

    private mutating func add(_ name: String, _ file: Int) {
        names[name] = file
        pendingNames.append(NameChange(added: (name, file)))
    }

    private func place(_ inode: UInt64) throws -> Int {
        guard let place = places[inode] else { throw QuireError.unknownFile }
        return place
    }

    /// What a power cut may leave of a file: every subset of what is not safe, or as many as `limit` at random.
    ///
    /// Each write may be there, be missing, be zeros, or be torn at a multiple of 512 bytes with the old bytes or zeros in its
    /// other part; a change of the size may be there or not.
    ///
    /// - Parameters:
    ///   - limit: how many images there are at most for each file that may have the name.
    ///   - body: gets each image, nil for no file, and how it came about.
    /// - Throws: what `body` throws.
    public func images(
        of name: String, limit: Int, random: inout TestBytes,
        _ body: (_ image: Data?, _ description: String) throws -> Void
    ) throws {
        for place in places(of: name) {
            guard let place else {
                try body(nil, "no name")
                continue
            }
            let file = files[place]
            let fates = file.pending.map(\.fates)
            let count = fates.reduce(SizeFate.allCases.count) {
                $0.multipliedReportingOverflow(by: $1.count).overflow
                    ? .max : min($0 * $1.count, 1 << 40)
            }
            for index in 0..<min(count, limit) {
                var choice = count <= limit ? index : Int(random.next() >> 24)
                var (bytes, longest) = (file.safe, file.safe.count)
                var words: [String] = []
                for (change, fates) in zip(file.pending, fates) {
                    let fate = fates[choice % fates.count]
                    choice = count <= limit ? choice / fates.count : Int(random.next() >> 24)
                    change.apply(to: &bytes, fate)
                    longest = max(longest, bytes.count)
                    words.append("\(change.name) \(fate)")
                }
                let size = SizeFate.allCases[choice % SizeFate.allCases.count]
                size.apply(to: &bytes, safe: file.safe.count, longest: longest)
                try body(bytes, "\(words.joined(separator: ", ")), size \(size)")
            }
        }
    }

    /// The files that may have the name: by every subset of the changes of names.
    private func places(of name: String) -> [Int?] {
        let changes = pendingNames.filter { $0.removed == name || $0.added?.name == name }.suffix(8)
        var found: [Int?] = []
        for subset in 0..<1 << changes.count {
            var place = safeNames[name]
            for (index, change) in changes.enumerated() where subset >> index & 1 == 1 {
                if change.removed == name { place = nil }
                if let added = change.added, added.name == name { place = added.file }
            }
            if !found.contains(place) { found.append(place) }
        }
        return found
    }
}

extension QuireError {
    fileprivate static let unknownFile = QuireError(
        .invalidArgument, "an event is of a file that was not there and was not made")
}
