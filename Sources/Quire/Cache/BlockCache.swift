import Foundation
import Synchronization

/// Inflated blocks within a byte budget. Two threads that want the same block wait for one of them to load it.
final class BlockCache: Sendable {
    /// A block of one written store; appends keep the epoch, so they keep the cache.
    struct Key: Hashable {
        var epoch: UInt64
        var fileOffset: UInt64
    }

    private struct State {
        var blocks = LRUCache<Key, AlignedBuffer>()
        var flights: [Key: Flight<AlignedBuffer?>] = [:]
    }

    private final class Shard: Sendable { let state = Mutex(State()) }

    private enum Find {
        case hit(AlignedBuffer), wait(Flight<AlignedBuffer?>), lead(Flight<AlignedBuffer?>)
    }

    private let shards: [Shard]
    private let byteBudget: Int
    /// Bytes in all shards: they share the budget, as chance would not fill them evenly.
    private let byteCount = Atomic(0)

    /// - Parameter byteBudget: bytes of blocks that are kept; at least the newest block of a shard always is.
    init(byteBudget: Int) {
        self.byteBudget = byteBudget
        let count = min(max(byteBudget >> 20, 1), 8)
        shards = (0..<count).map { _ in Shard() }
    }

    /// The block of `key` if it is here.
    func cachedBlock(for key: Key) -> AlignedBuffer? {
        shard(of: key).state.withLock { $0.blocks.value(for: key) }
    }

    /// The block of `key`; `load` makes it, outside of any lock, if no other thread is doing so.
    ///
    /// What another thread's load throws may be of the view that it reads, which a commit may have ended: then `load` is called, too.
    ///
    /// - Parameters:
    ///   - meanwhile: something else to do while another thread loads; false if there is nothing.
    ///   - load: gives nil if there is nothing to keep, and then nor is there for those that wait.
    func block(
        for key: Key, meanwhile: () -> Bool = { false }, load: () throws -> AlignedBuffer?
    ) throws -> AlignedBuffer? {
        let shard = shard(of: key)
        while true {
            let found = shard.state.withLock { state -> Find in
                if let block = state.blocks.value(for: key) { return .hit(block) }
                if let flight = state.flights[key] { return .wait(flight) }
                let flight = Flight<AlignedBuffer?>()
                state.flights[key] = flight
                return .lead(flight)
            }
            switch found {
            case .hit(let block): return block
            case .wait(let flight):
                while !flight.hasLanded, meanwhile() {}
                if case .success(let block) = flight.wait() { return block }
            case .lead(let flight):
                let result = Result { try load() }
                shard.state.withLock { state in
                    state.flights[key] = nil
                    if case .success(let block?) = result { insert(block, for: key, into: &state) }
                }
                flight.land(result)
                return try result.get()
            }
        }
    }

    private func shard(of key: Key) -> Shard {
        shards[Int(truncatingIfNeeded: key.fileOffset >> 12 % UInt64(shards.count))]
    }

    func removeAll() {
        for shard in shards {
            shard.state.withLock { state in
                byteCount.subtract(state.blocks.cost, ordering: .relaxed)
                state.blocks.removeAll()
            }
        }
    }

    private func insert(_ block: AlignedBuffer, for key: Key, into state: inout State) {
        let before = state.blocks.cost
        state.blocks.insert(block, for: key, cost: block.capacity)
        let others = byteCount.load(ordering: .relaxed) - before
        while others + state.blocks.cost > byteBudget, state.blocks.removeOldest() {}
        byteCount.add(state.blocks.cost - before, ordering: .relaxed)
    }
}
