public import Foundation
import Quire

/// A call on a file, a folder or a name, as a `FileFaultInjector` counts it.
public enum FileCall: String, Sendable, CaseIterable {
    /// Opening a file that is there, one that may not be, or the folder itself; `close` closes even if it fails.
    case open, create, openFolder, close
    /// `pread` or `read`; `pwrite` or `write`; `ftruncate`.
    case read, write, truncate
    /// `fsync` or `fdatasync` of a file, and of the folder.
    case sync, syncFolder
    /// Calls that change names, with the flags of `renameat2` or without.
    case rename, link, unlink
    /// `fcntl` with a lock; `stat` or `fstat`; `fchmod` or `fchown`; `ioctl`, as for cloning.
    case lock, unlock, status, permissions, ioctl
}

/// Something that goes wrong at one call of a process on the files of a folder, or from one call on.
public struct FileFault: Sendable, CustomStringConvertible {
    /// What happens instead of the call, or to the process.
    public enum Effect: Sendable, Equatable {
        /// The process is killed (`SIGKILL`) before the call, after it, or when half of a write is done.
        case killBefore, killAfter, killHalfway
        /// The call fails with this error and does nothing.
        case error(POSIXErrorCode)
        /// A read or a write is made of half of its bytes. Other calls are not changed.
        case short
        /// The call waits for so many seconds first.
        case delay(seconds: Double)
        /// The process leaves a copy of itself that keeps its descriptors for eight seconds, and the call fails with `EIO`.
        case fork
    }

    /// What happens.
    public var effect: Effect
    /// Which of the counted calls it hits, from 0.
    public var number: Int
    /// The calls that are counted; all, if there are none.
    public var calls: Set<FileCall>
    /// Whether all later counted calls are hit, too.
    public var isLasting: Bool

    /// Describes a fault, for instance `FileFault(.error(.ENOSPC), at: 2, of: .write)`.
    ///
    /// - Parameters:
    ///   - number: from 0 on; a negative one is never reached.
    ///   - calls: what is counted; everything without it.
    public init(
        _ effect: Effect, at number: Int, of calls: FileCall..., isLasting: Bool = false
    ) {
        self.effect = effect
        self.number = number
        self.calls = Set(calls)
        self.isLasting = isLasting
    }

    /// Whether the process ends there.
    public var kills: Bool { [.killBefore, .killAfter, .killHalfway].contains(effect) }

    /// The effect and where, in one line.
    public var description: String {
        let names = calls.isEmpty ? "call" : calls.map(\.rawValue).sorted().joined(separator: "/")
        return "\(effect) at \(names) \(number)\(isLasting ? " and later" : "")"
    }

    fileprivate var environment: [String: String] {
        var variables = ["QUIRE_FAULT_AT": "\(number)"]
        if !calls.isEmpty {
            variables["QUIRE_FAULT_OF"] = calls.map(\.rawValue).joined(separator: ",")
        }
        if isLasting { variables["QUIRE_FAULT_LASTING"] = "1" }
        let name: String
        switch effect {
        case .killBefore: name = "before"
        case .killAfter: name = "after"
        case .killHalfway: name = "half"
        case .short: name = "short"
        case .error(let code):
            name = "error"
            variables["QUIRE_FAULT_ERRNO"] = "\(code.rawValue)"
        case .delay(let seconds):
            name = "delay"
            variables["QUIRE_FAULT_DELAY"] = "\(Int(seconds * 1e6))"
        case .fork:
            name = "fork"
            variables["QUIRE_FAULT_ERRNO"] = "\(POSIXErrorCode.EIO.rawValue)"
        }
        variables["QUIRE_FAULT_EFFECT"] = name
        return variables
    }
}

/// Has a process count, spoil and record its own calls on the files of a folder. On Linux; elsewhere it does nothing.
///
/// The process needs no hooks for it: the package's product `QuireFileFaults` is loaded before the C library (`LD_PRELOAD`).
/// To test a save, make it in a process once for each of its calls:
///
/// ```swift
/// let injector = FileFaultInjector(library: products.appending(path: "libQuireFileFaults.so"))
/// for number in 0... {
///     process.environment = injector.environment(
///         forFilesIn: folder, fault: FileFault(.killAfter, at: number))
///     … // run it, and open what it left: the old document or the new one
/// }
/// ```
public struct FileFaultInjector: Sendable {
    /// The library `libQuireFileFaults.so`, where the package was built.
    public var library: URL

    /// - Parameter library: the product `QuireFileFaults`.
    public init(library: URL) { self.library = library }

    /// The variables of the environment of such a process.
    ///
    /// - Parameters:
    ///   - folder: the calls on it and on what lies in it are counted.
    ///   - fault: what goes wrong.
    ///   - calls: a file that gets the `FileCall` of each call, a line each; what is in it stays.
    ///   - events: a file that gets what `FileEvent.events(in:)` reads; what is in it stays.
    public func environment(
        forFilesIn folder: URL, fault: FileFault? = nil, calls: URL? = nil, events: URL? = nil
    ) -> [String: String] {
        var variables = fault?.environment ?? [:]
        variables["LD_PRELOAD"] = library.path
        variables["QUIRE_FAULT_FOLDER"] = FileDataProvider.resolvedPath(of: folder)
        variables["QUIRE_FAULT_CALLS"] = calls?.path
        variables["QUIRE_FAULT_LOG"] = events?.path
        return variables
    }

    /// The calls that a process has made, in order: those whose numbers a fault may have.
    ///
    /// - Parameter file: what `environment(forFilesIn:fault:calls:events:)` had them written to.
    /// - Throws: the errors of reading it; `QuireError`, `invalidArgument`, if it has something else.
    public static func calls(in file: URL) throws -> [FileCall] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            guard let call = FileCall(rawValue: String($0)) else {
                throw QuireError(.invalidArgument, "a record of calls has the line \($0)")
            }
            return call
        }
    }
}
