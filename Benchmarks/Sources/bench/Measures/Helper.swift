import Foundation
import Synchronization

/// A second thread for one run. It is there before the clock starts, and spins: waking a thread costs more than a short run.
final class Helper: Sendable {
    private enum State { static let starting = 0, ready = 1, running = 2, done = 3 }

    private let state = Atomic(State.starting)
    private let failure = Mutex<(any Error)?>(nil)

    /// Starts the thread, which runs `body` when it is told to.
    init(_ body: @escaping @Sendable () throws -> Void) {
        let thread = Thread { [self] in
            state.store(State.ready, ordering: .releasing)
            spin(until: State.running)
            do { try body() } catch { failure.withLock { $0 = error } }
            state.store(State.done, ordering: .releasing)
        }
        thread.start()
        spin(until: State.ready)
    }

    /// Runs `other` on this thread and the helper's body beside it, to the end of both.
    func run(beside other: () throws -> Void) throws {
        state.store(State.running, ordering: .releasing)
        let result = Result { try other() }
        spin(until: State.done)
        try result.get()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func spin(until wanted: Int) {
        while state.load(ordering: .acquiring) != wanted {}
    }
}
