import Foundation
import Synchronization

/// Says which blocks to load before they are asked for: those ahead of a reader that goes from block to block.
///
/// It begins after two steps from a block to the next one, with two blocks, and doubles with each further step; a seek ends it. The
/// same block again is no step. Knows of blocks by number only: loading is its owner's business.
final class Prefetcher: Sendable {
    /// Blocks ahead, at most.
    private static let blockLimit = 16

    private let cacheByteBudget: Int
    private let workerLimit: Int
    /// The block of the last read.
    private let last = Atomic(-2)
    /// Whether there are steps or a plan for a seek to end. Others take no lock.
    private let isActive = Atomic(false)
    private let state = Mutex(State())

    private struct State {
        var store: Store?
        /// The steps in a row.
        var steps = 0
        /// What is still to be loaded.
        var plan = 0..<0
        /// Whether the plan was asked for: a seek does not end it.
        var isAskedFor = false
        var workerCount = 0
    }

    /// - Parameter workerLimit: tasks at once.
    init(cacheByteBudget: Int, workerLimit: Int = coreCount - 1) {
        self.cacheByteBudget = cacheByteBudget
        self.workerLimit = workerLimit
    }

    /// Notes that a block is read.
    ///
    /// - Returns: whether a task is to be started that loads what `next` gives until there is none.
    @inline(__always) func moves(to number: Int, of store: Store) -> Bool {
        guard last.load(ordering: .relaxed) != number, workerLimit > 0 else { return false }
        return steps(to: number, of: store)
    }

    private func steps(to number: Int, of store: Store) -> Bool {
        let isStep = last.load(ordering: .relaxed) == number - 1
        last.store(number, ordering: .relaxed)
        guard isStep || isActive.load(ordering: .relaxed) else { return false }
        return state.withLock { state in
            isActive.store(isStep, ordering: .relaxed)
            guard isStep else {
                state.steps = 0
                if !state.isAskedFor { state.plan = 0..<0 }
                return false
            }
            state.steps += 1
            guard state.steps > 1, !state.isAskedFor else { return false }
            let ahead = min(limit(of: store), 1 << min(state.steps - 1, 10))
            // Half of it is used up before there is more, so that a task is not started for each block.
            guard state.plan.upperBound <= number + ahead / 2 + 1 else { return false }
            let start = max(
                state.plan.isEmpty ? state.plan.upperBound : state.plan.lowerBound, number + 1)
            state.plan = start..<max(start, min(number + 1 + ahead, store.blockCount))
            return startsWorker(&state, store)
        }
    }

    /// Asks for blocks to be loaded, in place of what was planned.
    ///
    /// - Returns: as `moves`.
    func isAsked(for blocks: Range<Int>, of store: Store) -> Bool {
        guard workerLimit > 0 else { return false }
        return state.withLock { state in
            state.plan = blocks.prefix(halfOfCache(of: store))
            state.isAskedFor = true
            return startsWorker(&state, store)
        }
    }

    /// The next block to load; nil if there is none.
    ///
    /// - Parameter isWorker: whether a task asks that was started for it, and ends if there is none.
    func next(isWorker: Bool) -> (store: Store, number: Int)? {
        state.withLock { state in
            guard let store = state.store, let number = state.plan.popFirst() else {
                if isWorker { state.workerCount -= 1 }
                state.isAskedFor = false
                state.store = nil
                return nil
            }
            return (store, number)
        }
    }

    /// Forgets what was planned.
    func cancel() {
        last.store(-2, ordering: .relaxed)
        state.withLock { state in
            state.steps = 0
            state.plan = 0..<0
            state.isAskedFor = false
            state.store = nil
        }
    }

    private func startsWorker(_ state: inout State, _ store: Store) -> Bool {
        state.store = store
        guard !state.plan.isEmpty, state.workerCount < workerLimit else { return false }
        state.workerCount += 1
        return true
    }

    private func limit(of store: Store) -> Int { min(Self.blockLimit, halfOfCache(of: store)) }

    /// In blocks; so that what is being read stays.
    private func halfOfCache(of store: Store) -> Int {
        let blocks = cacheByteBudget / store.footer.blockSize
        return blocks < 4 ? 0 : blocks / 2
    }
}
