import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

@Suite("Cache")
struct CacheTests {
    @Test func theLeastRecentlyUsedGoFirst() {
        var cache = LRUCache<Int, String>()
        for key in 1...3 { cache.insert("\(key)", for: key, cost: 1) }
        #expect(cache.value(for: 1) == "1")
        let isRemoved = cache.removeOldest()
        #expect(isRemoved)
        #expect(cache.value(for: 2) == nil)
        #expect(cache.value(for: 1) == "1" && cache.value(for: 3) == "3")
    }

    @Test func theNewestStaysWhateverItCosts() throws {
        let cache = BlockCache(byteBudget: 1)
        var loads = 0
        for fileOffset in [1, 1, 2, 2, 1] as [UInt64] {
            _ = try cache.block(for: .init(epoch: 1, fileOffset: fileOffset)) {
                loads += 1
                return AlignedBuffer(capacity: 100)
            }
        }
        #expect(loads == 3)
    }

    @Test func shardsShareTheBudget() throws {
        // All blocks fall into one of the four shards, and fit into the budget of all.
        let cache = BlockCache(byteBudget: 4 << 20)
        var loads = 0
        for _ in 0..<2 {
            for number in 0..<60 {
                _ = try cache.block(for: .init(epoch: 1, fileOffset: UInt64(number) << 14)) {
                    loads += 1
                    return AlignedBuffer(capacity: 1 << 16)
                }
            }
        }
        #expect(loads == 60)
    }

    @Test func itBehavesLikeAListOfPairs() {
        var random = TestBytes(seed: 7)
        var cache = LRUCache<Int, Int>()
        var model: [(key: Int, value: Int, cost: Int)] = []  // oldest first
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<30, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let place = model.firstIndex { $0.key == key }
                #expect(cache.value(for: key) == place.map { model[$0].value })
                if let place { model.append(model.remove(at: place)) }
            case 5..<9:
                let cost = Int.random(in: 1...9, using: &random)
                model.removeAll { $0.key == key }
                model.append((key, step, cost))
                while model.count > 1, model.reduce(0, { $0 + $1.cost }) > 50 {
                    model.removeFirst()
                }
                cache.insert(step, for: key, cost: cost)
                while cache.cost > 50, cache.removeOldest() {}
            default:
                model.removeAll { $0.key == key }
                cache.remove(key)
            }
            #expect(cache.count == model.count && cache.cost == model.reduce(0) { $0 + $1.cost })
        }
    }

    @Test func threadsThatWantOneBlockLoadItOnce() throws {
        let cache = BlockCache(byteBudget: 1 << 20)
        let loads = Atomic(0)
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let block = try? cache.block(for: .init(epoch: 1, fileOffset: 42)) {
                loads.add(1, ordering: .relaxed)
                Thread.sleep(forTimeInterval: 0.05)
                return AlignedBuffer(capacity: 10)
            }
            if block == nil { failures.add(1, ordering: .relaxed) }
        }
        #expect(loads.load(ordering: .relaxed) == 1 && failures.load(ordering: .relaxed) == 0)
    }

    @Test func aFailedLoadIsTriedAgain() throws {
        let cache = BlockCache(byteBudget: 1 << 20)
        let key = BlockCache.Key(epoch: 1, fileOffset: 0)
        #expect(throws: POSIXError.self) { try cache.block(for: key) { throw POSIXError(.EIO) } }
        #expect(try cache.block(for: key) { AlignedBuffer(capacity: 7) }?.capacity == 7)
    }

    /// As it may be of the other's view, which a commit has ended.
    @Test func whoWaitsForALoadThatFailsLoadsItself() throws {
        let cache = BlockCache(byteBudget: 1 << 20)
        let key = BlockCache.Key(epoch: 1, fileOffset: 0)
        let (isLoading, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread {
            _ = try? cache.block(for: key) {
                isLoading.signal()
                Thread.sleep(forTimeInterval: 0.05)
                throw POSIXError(.EIO)
            }
            isOver.signal()
        }.start()
        isLoading.wait()
        #expect(try cache.block(for: key) { AlignedBuffer(capacity: 7) }?.capacity == 7)
        isOver.wait()
    }
}
