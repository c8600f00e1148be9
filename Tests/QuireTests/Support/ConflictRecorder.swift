import Foundation
import Quire
import Synchronization

/// A delegate that keeps what it is told, and does what a test wants done then.
final class ConflictRecorder: FileCoordinationDelegate {
    private let log = Mutex<[FileConflictType]>([])
    private let action: @Sendable (any CoordinatedFileDataProviding) -> Void

    init(_ action: @escaping @Sendable (any CoordinatedFileDataProviding) -> Void = { _ in }) {
        self.action = action
    }

    var reports: [FileConflictType] { log.withLock { $0 } }

    /// Waits until so many reports have come.
    func has(_ count: Int) -> Bool {
        eventually { log.withLock { $0.count } >= count }
    }

    func presentedItemDidChange(for dataProvider: any CoordinatedFileDataProviding) {
        action(dataProvider)
        log.withLock { $0.append(.modification) }
    }

    func accommodatePresentedItemDeletion(
        for dataProvider: any CoordinatedFileDataProviding,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        action(dataProvider)
        log.withLock { $0.append(.deletion) }
        completionHandler(nil)
    }
}

/// Waits for a condition, half a minute at most.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: 30)
    while try !condition() {
        guard Date() < deadline else { return false }
        Thread.sleep(forTimeInterval: 0.002)
    }
    return true
}

/// Lets a shell do something to a file, `$0`, in a process of its own.
func shell(_ script: String, _ url: URL) throws {
    let result = try run("sh", "-ec", script, url.path)
    guard result.status == 0 else {
        throw CocoaError(.executableLoad, userInfo: [NSDebugDescriptionErrorKey: result.errors])
    }
}
