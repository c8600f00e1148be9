import Foundation
import Synchronization

/// Tells the changes that others make to an open file from its provider's own.
///
/// Signs are collected until they have been quiet for 50 ms (a second at most), then the file is looked at once, under
/// the lock that keeps writers out. What differs from the contents that are open, or from the change reported last, is
/// reported, on a queue of the monitor's own with no lock held. A provider's own change makes its outcome the
/// contents that are open before anyone looks.
final class FileMonitor: Sendable {
    /// Is told of a change, with what is to be called when a deletion has been coped with.
    typealias Report =
        @Sendable (FileConflictType, @escaping @Sendable ((any Error)?) -> Void) -> Void

    private static let quiet = DispatchTimeInterval.milliseconds(50)
    private static let patience = DispatchTimeInterval.seconds(1)
    /// Until a file that cannot be looked at, as it is locked or may not be read, is tried less often.
    private static let lockPatience = DispatchTimeInterval.seconds(10)
    private static let longPause = DispatchTimeInterval.seconds(2)

    let file: FileDataProvider
    let source: any FileSignSource
    let queue = DispatchQueue(label: "quire.coordination")
    let state = Mutex(State())
    private let hasOpened = Atomic(false)

    struct State {
        /// What is open; nil while nothing is.
        var opened: FileIdentity?
        /// What has been reported and not been resolved.
        var conflict: Conflict?
        /// One more at each change of the provider's own.
        var generation: UInt64 = 0
        /// Changes of the provider's own that are under way.
        var changeCount = 0

        var signs: FileSigns = []
        var firstSign = DispatchTime.now()
        var lastSign = DispatchTime.now()
        var isScheduled = false
        var report: Report?
    }

    enum Conflict {
        case missing
        case changed(FileIdentity)
    }

    /// What a look at the file led to.
    enum Outcome { case done, locked, blocked }

    init(file: FileDataProvider, source: any FileSignSource) {
        self.file = file
        self.source = source
    }

    var path: String { file.path }

    /// Whether the contents that are open are known.
    var isOpen: Bool { hasOpened.load(ordering: .acquiring) }

    /// Whether a copy of the contents that are open is left, whatever is now on the disk.
    var hasSafeCopy: Bool { state.withLock { $0.opened?.snapshot.isOverwritten == false } }

    /// What has been noticed and not been resolved.
    var conflict: FileConflictType? {
        switch state.withLock({ $0.conflict }) {
        case .none: nil
        case .missing: .deletion
        case .changed: .modification
        }
    }

    /// Whether all signs have been looked into.
    var isQuiet: Bool { state.withLock { !$0.isScheduled && $0.signs.isEmpty } }

    /// Takes what the provider has open for what the file holds; nil for nothing.
    func adopt(_ identity: FileIdentity?) {
        state.withLock {
            $0.opened = identity
            $0.conflict = nil
            $0.generation += 1
        }
        hasOpened.store(identity != nil, ordering: .releasing)
    }

    /// Calls for a look at the file. Takes the monitor's lock alone, and does not wait for the look.
    func notice(_ signs: FileSigns) {
        state.withLock { state in
            guard state.opened != nil else { return }
            state.lastSign = .now()
            if state.signs.isEmpty { state.firstSign = state.lastSign }
            state.signs.formUnion(signs)
            schedule(&state, after: Self.quiet)
        }
    }

    /// Says that the file is about to be deleted.
    func announceDeletion(then done: @escaping @Sendable ((any Error)?) -> Void) {
        let report = state.withLock { state in
            defer { state.conflict = .missing }
            return state.opened == nil ? nil : state.report
        }
        guard let report else { return done(nil) }
        queue.async { report(.deletion, done) }
    }

    func schedule(_ state: inout State, after pause: DispatchTimeInterval) {
        guard !state.isScheduled else { return }
        state.isScheduled = true
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.lookIfQuiet() }
    }

    private func lookIfQuiet() {
        let isDue = state.withLock { state in
            state.isScheduled = false
            if state.opened == nil { state.signs = [] }
            guard !state.signs.isEmpty else { return false }
            let now = DispatchTime.now()
            let isQuiet =
                now >= state.lastSign + Self.quiet || now >= state.firstSign + Self.patience
            if state.changeCount == 0, isQuiet { return true }
            schedule(&state, after: Self.quiet)
            return false
        }
        guard isDue else { return }
        let outcome = look()
        state.withLock { state in
            guard !state.signs.isEmpty else { return }
            let isPatient = DispatchTime.now() < state.firstSign + Self.lockPatience
            let pause = outcome != .blocked && isPatient ? Self.quiet : Self.longPause
            schedule(&state, after: pause)
        }
    }

    // MARK: Looking

    /// Looks into the signs so far, and reports what has changed. If that cannot be done now, the signs are kept.
    @discardableResult
    func look() -> Outcome {
        let (opened, conflict, signs, generation) = state.withLock { state in
            defer { state.signs = [] }
            return (state.opened, state.conflict, state.signs, state.generation)
        }
        guard let opened else { return .done }
        do {
            guard let found = try source.reading({ try Self.contents(of: path) }) else {
                try opened.checkOverwriting(signs: signs)
                return settle(opened, .missing, signs, generation)
            }
            if case .changed(let last) = conflict,
                try last.change(to: found, signs: signs) == .none
            {
                return settle(opened, .changed(last.dated(as: found.status)), signs, generation)
            }
            switch try opened.change(to: found, signs: signs) {
            case .none:
                // The same bytes in another file: that is the one to save to.
                let isSameFile = opened.status.isSameFile(as: found.status)
                let now = isSameFile ? opened.dated(as: found.status) : found
                return settle(now, nil, signs, generation)
            case .overwritten, .doubtful:
                opened.snapshot.noteOverwriting()
            case .replaced: try opened.checkOverwriting(signs: signs)
            }
            return settle(opened, .changed(found), signs, generation, isNew: true)
        } catch {
            let isLocked = error is Locked
            return keep(signs, isLocked ? .locked : .blocked)
        }
    }

    private func settle(
        _ opened: FileIdentity, _ conflict: Conflict?, _ signs: FileSigns, _ generation: UInt64,
        isNew: Bool = false
    ) -> Outcome {
        state.withLock { state in
            // A change of the provider's own came between: what it left is to be looked at again.
            guard state.generation == generation else {
                state.signs.insert(.other)
                return .locked
            }
            let type: FileConflictType? =
                switch (state.conflict, conflict) {
                case (.none, .none), (.missing, .missing): nil
                case (_, .missing): .deletion
                case (.changed, .changed): isNew ? .modification : nil
                default: .modification
                }
            if let current = state.opened, current.snapshot !== opened.snapshot {
                file.adopt(opened.snapshot, insteadOf: current.snapshot)
            }
            state.opened = opened
            state.conflict = conflict
            if let type, let report = state.report {
                queue.async { [weak self] in
                    // Resolved in the meantime: there is nothing to be told any more.
                    guard self?.state.withLock({ $0.generation }) == generation else { return }
                    report(type) { _ in }
                }
            }
            return .done
        }
    }

    private func keep(_ signs: FileSigns, _ outcome: Outcome) -> Outcome {
        state.withLock { $0.signs.formUnion(signs) }
        return outcome
    }

    /// Another is writing the file now.
    struct Locked: Error {}

    /// What is at `path`; nil if no file is.
    ///
    /// - Throws: `Locked`; `truncated` if it is being cut; `fileSystem`.
    static func contents(of path: String) throws -> FileIdentity? {
        let snapshot: FileSnapshot
        do { snapshot = try FileSnapshot(path: path) } catch let error as QuireError {
            // Something else lies in its place, or in that of its folder.
            let isElse = error.code == .fileSystem && error.underlying == nil
            let code = (error.underlying as? POSIXError)?.code
            if error.code == .fileNotFound || isElse || code == .ENOTDIR { return nil }
            throw error
        }
        // Where there are no locks nobody can be kept out.
        guard (try? snapshot.file.tryLock(isShared: true)) ?? true else { throw Locked() }
        defer { snapshot.file.unlock() }
        // The size may have been taken before the writer that was waited for had finished.
        let size = try snapshot.file.status().size
        return try FileIdentity(FileSnapshot(file: snapshot.file, size: size))
    }
}
