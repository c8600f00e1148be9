import Foundation
import Quire
import QuireTesting
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Damages stores in all ways of one kind, on all cores, and says what comes of it.
struct DamageCampaign {
    private struct Case: CustomStringConvertible {
        let stores: [DamagedStore]
        let damage: Damage
        var description: String { "\(stores.map(\.name).joined(separator: " | ")): \(damage)" }
    }

    private struct Tally {
        var counts: [String: Int] = [:]
        var slowest = Duration.zero
        var slowestCase = ""
        var wrongCount = 0
    }

    private let cases: [Case]

    /// - Parameter step: of so many cases one is run.
    init(kind: String, step: Int, seed: UInt64) throws {
        var random = TestBytes(seed: seed)
        var cases: [Case] = []
        func add(_ stores: [DamagedStore], _ damages: [Damage], every step: Int) {
            let first = Int(random.next() % UInt64(step))
            cases += stride(from: first, to: damages.count, by: step).map {
                Case(stores: stores, damage: damages[$0])
            }
        }
        let (small, large) = (try DamagedStore.small(), try DamagedStore.large())
        switch kind {
        case "flips":
            for store in small { add([store], Damage.flips(of: store), every: step) }
            add([large], Damage.flips(of: large), every: step * 199)
        case "cuts":
            for store in small { add([store], Damage.cuts(of: store), every: step) }
            add([large], Damage.cuts(of: large), every: step * 97)
        case "ranges":
            for store in small {
                add(
                    [store], Damage.ranges(of: store, count: 4000, random: &random), every: step)
            }
            add([large], Damage.ranges(of: large, count: 4000, random: &random), every: step * 20)
        case "splices":
            for (one, two) in try DamagedStore.pairs() {
                for pair in [[one, two], [two, one]] {
                    add(pair, Damage.splices(of: pair[0], with: pair[1]), every: step)
                }
            }
        default: throw CocoaError(.featureUnsupported)
        }
        self.cases = cases
    }

    /// Says each case when it begins, each that is wrong, and in the end what came of them.
    func run() throws {
        for store in Set(cases.flatMap { $0.stores.map(\.stored) }).prefix(3) {
            _ = try CompressedDataProvider(DataContainerProvider(data: store)).data()
        }
        let next = Atomic(0)
        let tally = Mutex(Tally())
        let before = Memory.resident
        Memory.resetPeak()
        Memory.limit(to: 1 << 30)
        let workers = min(ProcessInfo.processInfo.activeProcessorCount, 4)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            while true {
                let number = next.add(1, ordering: .relaxed).oldValue
                guard number < cases.count else { return }
                say("begin \(worker) \(cases[number])\n")
                run(cases[number], into: tally)
            }
        }
        let growth = Memory.isKnown ? Memory.peak - before : 0
        tally.withLock {
            for (outcome, count) in $0.counts { say("count \(count) \(outcome)\n") }
            say("slowest \($0.slowest.microseconds / 1000) \($0.slowestCase)\n")
            say("memory \(growth)\n")
        }
    }

    private func run(_ one: Case, into tally: borrowing Mutex<Tally>) {
        let other = one.stores.count > 1 ? one.stores[1].stored : Data()
        let image = one.damage.applied(to: one.stores[0].stored, other)
        var flipped: Int?
        if case .flip(let place, _) = one.damage { flipped = place }
        let (start, startOnCPU) = (ContinuousClock.now, Self.timeOnCPU)
        var (outcome, fault) = ("wrong", "")
        do {
            outcome = try DamageOracle(image: image, stores: one.stores, flipped: flipped).outcome()
        } catch { fault = "\(error)" }
        let time = ContinuousClock.now - start
        // Of this thread, so that what else the machine does is not in it.
        if Memory.isKnown, Self.timeOnCPU - startOnCPU > .seconds(1) {
            (outcome, fault) = ("wrong", "takes \(time)")
        }
        tally.withLock {
            $0.counts[outcome, default: 0] += 1
            if time > $0.slowest { ($0.slowest, $0.slowestCase) = (time, "\(one)") }
            guard outcome == "wrong" else { return }
            $0.wrongCount += 1
            var kept = ""
            if $0.wrongCount <= 20 {
                let url = FileManager.default.temporaryDirectory.appending(
                    path: "quire-damage-\(getpid())-\($0.wrongCount).gz")
                if (try? image.write(to: url)) != nil { kept = ", kept as \(url.path)" }
            }
            say("wrong \(one): \(fault)\(kept)\n")
        }
    }

    private static var timeOnCPU: Duration {
        var time = timespec()
        // SAFETY: the system writes one `timespec`.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
