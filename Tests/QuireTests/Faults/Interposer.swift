import Foundation

@testable import Quire

/// The library that counts a process's calls on files and spoils one of them (`Tests/Faults/interpose.c`), compiled once for
/// all tests.
enum Interposer {
    static let library: URL? = try? compile()
    static let isPossible = library != nil

    private static func compile() throws -> URL {
        #if !os(Linux)
            throw CocoaError(.featureUnsupported)
        #endif
        let library = try Helper.executable.get().deletingLastPathComponent()
            .appending(path: "interpose.so")
        let source = FormatTests.root.appending(path: "Tests/Faults/interpose.c").path
        let compiled = try run(
            "cc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-pthread", "-o",
            library.path, source, "-ldl")
        guard compiled.status == 0 else {
            print("the interposer cannot be compiled: \(compiled.errors)")
            throw CocoaError(.featureUnsupported)
        }
        return library
    }

    /// The environment of a process whose calls on the files of `folder` are counted.
    static func environment(
        _ folder: URL, spoil: Spoil? = nil, calls: URL? = nil, log: URL? = nil
    ) throws -> [String: String] {
        guard let library else { throw CocoaError(.featureUnsupported) }
        let resolved = FileDataProvider.resolvedPath(of: folder)
        var environment = ["LD_PRELOAD": library.path, "QUIRE_FAULT_FOLDER": resolved]
        environment["QUIRE_FAULT_CALLS"] = calls?.path
        environment["QUIRE_FAULT_LOG"] = log?.path
        guard let spoil else { return environment }
        environment["QUIRE_FAULT_AT"] = "\(spoil.call)"
        environment["QUIRE_FAULT_EFFECT"] = spoil.effect.rawValue
        environment["QUIRE_FAULT_ERRNO"] = "\(spoil.error.rawValue)"
        environment["QUIRE_FAULT_LASTING"] = spoil.isLasting ? "1" : nil
        return environment
    }
}

/// What is to go wrong at one call, or from one on.
struct Spoil: Sendable, CustomStringConvertible {
    enum Effect: String { case before, after, half, error, short, fork }

    var call: Int
    var effect: Effect
    var error = POSIXErrorCode.EIO
    var isLasting = false

    /// Whether the process ends there.
    var kills: Bool { [.before, .after, .half].contains(effect) }
    var description: String {
        let what = effect == .error ? "\(error)" : effect.rawValue
        return "\(what) at call \(call)\(isLasting ? " and later" : "")"
    }
}
