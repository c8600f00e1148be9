import Foundation
import Synchronization

/// One version of a decorator's contents.
package protocol Revision: DataProviding, Sendable {
    /// Whether another snapshot is of the same stored bytes.
    func isSame(as other: Self) throws -> Bool
}

/// The contents of a decorator: the snapshot that is read now, and how the next one takes its place.
///
/// A snapshot is opened when one is needed, by one thread for all. What opening throws is thrown again until `forget()` or a
/// commit, unless it is of a kind that passes by itself.
package final class Revisions<Snapshot: Revision>: Sendable {
    /// What is below the decorator.
    package let upstream: Upstream
    /// Makes a snapshot of a view of the upstream.
    package let open: @Sendable (any DataProviding & Sendable) throws -> Snapshot
    private let state = Mutex(State())
    /// Spares good reads the lock.
    private let hasError = Atomic(false)

    private struct State {
        var snapshot: Snapshot?
        /// Why there is none, if that is to be said again.
        var failure: (any Error)?
        var opening: Flight<Snapshot>?
        var isCommitting = false
        var error: (any Error)?

        mutating func become(_ snapshot: Snapshot?, failure: (any Error)? = nil) {
            (self.snapshot, self.failure, opening) = (snapshot, failure, nil)
        }
    }

    /// - Parameter open: makes a snapshot of a view of the upstream; called outside of any lock.
    package init(
        of upstream: any DataProviding & Sendable,
        open: @escaping @Sendable (any DataProviding & Sendable) throws -> Snapshot
    ) {
        self.upstream = Upstream(upstream)
        self.open = open
    }

    /// The last error of a read or of opening, nil after a good read.
    package var error: (any Error)? { state.withLock { $0.error } }

    /// The snapshot of the present contents.
    package func current() throws -> Snapshot {
        if let snapshot = state.withLock({ $0.snapshot }) { return snapshot }
        let (snapshot, failure, flight, isLeading) = state.withLock { state in
            let isLeading = state.snapshot == nil && state.failure == nil && state.opening == nil
            if isLeading { state.opening = Flight() }
            return (state.snapshot, state.failure, state.opening, isLeading)
        }
        if let snapshot { return snapshot }
        if let failure { throw failure }
        guard let flight else { return try current() }
        return isLeading ? try lead(flight) : try flight.wait().get()
    }

    /// Opens the present contents before any other thread can ask for them, which is cheaper.
    package func openAtOnce() throws -> Snapshot {
        let snapshot = try open(upstream.view())
        state.withLock { $0.become(snapshot) }
        return snapshot
    }

    /// Opens the present contents for all that wait.
    private func lead(_ flight: Flight<Snapshot>) throws -> Snapshot {
        var result = Result { try open(upstream.view()) }
        for _ in 0..<Self.attemptLimit where result.isExpired {
            result = Result { try open(upstream.view()) }
        }
        state.withLock { state in
            // Unless a commit or `forget()` has overtaken it.
            guard state.opening === flight else { return }
            switch result {
            case .success(let snapshot): state.become(snapshot)
            case .failure(let error): state.become(nil, failure: Self.passes(error) ? nil : error)
            }
        }
        if case .failure(let error) = result { note(error) }
        flight.land(result)
        return try result.get()
    }

    /// Runs a read, again if the revision that it began with has gone.
    package func reading(_ body: (Snapshot) throws -> Void) throws {
        do {
            do { try body(current()) } catch QuireError.Code.snapshotExpired {
                try readAgain(body)
            }
            if hasError.load(ordering: .relaxed) { note(nil) }
        } catch {
            note(error)
            throw error
        }
    }

    private func readAgain(_ body: (Snapshot) throws -> Void) throws {
        var attempts = 0
        while true {
            let snapshot = try current()
            do { return try body(snapshot) } catch let error as QuireError
                where error.code == .snapshotExpired
            {
                // An upstream that never stays what it says it is cannot be read.
                guard attempts < Self.attemptLimit else { throw error }
                if moveOn(from: snapshot) { attempts += 1 }
            }
        }
    }

    /// Begins a save on the present contents, and again if another save of this decorator comes between.
    ///
    /// - Parameters:
    ///   - base: the present contents; nil if there are none.
    ///   - begin: throws `conflict` if the upstream does not hold these contents.
    package func beginning<Sink>(
        on base: () throws -> Snapshot?, _ begin: (Snapshot?) throws -> Sink
    ) throws -> Sink {
        while true {
            let base = try base()
            do { return try begin(base) } catch let error as QuireError {
                guard [.conflict, .snapshotExpired].contains(error.code) else { throw error }
                let (isCommitting, isPresent) = state.withLock {
                    ($0.isCommitting, $0.snapshot === base)
                }
                guard isCommitting || !isPresent else { throw error }
                if isCommitting { Self.waitForCommit() }
            }
        }
    }

    /// Commits a save that was begun on `base`, nil if there was nothing to open; what `adopt` makes of the new
    /// contents is then read.
    ///
    /// - Parameter spend: spends the decorator's sink and returns the upstream's.
    /// - Throws: `conflict` if `base` is not the present snapshot any more; `notDurable`; what the closures and the
    ///   upstream throw.
    package func commit(
        on base: Snapshot?, spend: () throws -> any DataSink,
        adopt: (any DataProviding & Sendable) throws -> Snapshot
    ) throws {
        try claim(base)
        defer { state.withLock { $0.isCommitting = false } }
        let sink = try spend()
        func publish() throws {
            do {
                let adopted = try adopt(upstream.view())
                state.withLock { $0.become(adopted) }
            } catch {
                forget()
                note(error)
                // The save is done. That it cannot be read now is for the next read to say; that it is no good is not.
                if !Self.passes(error) { throw error }
            }
        }
        do { try upstream.commit(sink, publish: publish) } catch QuireError.Code.notDurable {
            try publish()
            throw QuireError(.notDurable, "the document is saved, but may not survive a power cut")
        } catch {
            // Views of an upstream that keeps one version expired when the commit began.
            if !upstream.keepsVersions { forget() }
            throw error
        }
    }

    /// Begins a commit on `base`, or on what `forget()` has had opened anew, if that is the same.
    private func claim(_ base: Snapshot?) throws {
        var present = base
        while true {
            let (isClaimed, isCommitting) = state.withLock { state in
                let isFree = !state.isCommitting && state.snapshot === present
                defer { if isFree { state.isCommitting = true } }
                return (isFree, state.isCommitting)
            }
            if isClaimed { return }
            present = try? current()
            guard !isCommitting, try isSame(present, base) else {
                throw QuireError(.conflict, "the document was changed since this save began")
            }
        }
    }

    private func isSame(_ present: Snapshot?, _ base: Snapshot?) throws -> Bool {
        guard let present, let base else { return false }
        do { return try present.isSame(as: base) } catch QuireError.Code.snapshotExpired {
            return false
        }
    }

    /// Opens what the upstream then holds at the next use.
    package func forget() { state.withLock { $0.become(nil) } }

    private static var attemptLimit: Int { 1000 }

    /// Whether opening failed for what may be over at the next attempt, without a word from anyone: for anything but what the
    /// stored bytes or the secret are.
    private static func passes(_ error: any Error) -> Bool {
        let lasting: [QuireError.Code] = [
            .notAStore, .unsupportedVersion, .unsupportedFeature, .damagedFooter, .damagedIndex,
            .damagedBlock, .truncated, .foreignTail, .notEncrypted, .wrongKeyForm,
            .authenticationFailed, .invalidArgument, .limitExceeded,
        ]
        return (error as? QuireError).map { !lasting.contains($0.code) } ?? true
    }

    /// Waits for the commit that made a snapshot expire, or forgets what a change from elsewhere has left.
    ///
    /// - Returns: whether there was such a change.
    private func moveOn(from expired: Snapshot) -> Bool {
        let isCommitting = state.withLock { state -> Bool? in
            guard state.snapshot === expired else { return nil }
            if !state.isCommitting { state.become(nil) }
            return state.isCommitting
        }
        if isCommitting == true { Self.waitForCommit() }
        return isCommitting == false
    }

    private static func waitForCommit() { Thread.sleep(forTimeInterval: 0.000_1) }

    private func note(_ error: (any Error)?) {
        state.withLock { $0.error = error }
        hasError.store(error != nil, ordering: .relaxed)
    }
}

extension Result {
    fileprivate var isExpired: Bool {
        if case .failure(let error as QuireError) = self {
            error.code == .snapshotExpired
        } else {
            false
        }
    }
}
