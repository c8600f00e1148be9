import Foundation
import Quire

/// A workload by all ways, in one thread or with its first half in one and its second half in another.
struct ReadMeasure {
    let workload: Workload
    let threadCount: Int
    let ways: [any Way]
    let shelf: Shelf
    let rounds: Int
    static let cacheByteBudget = 4 << 20

    func measure(_ collection: Collection) throws -> Measure? {
        var samples: [Sample] = []
        for document in collection.documents {
            guard let reads = try workload.reads(document), !reads.isEmpty else { continue }
            samples.append(try sample(document, reads))
        }
        guard !samples.isEmpty else { return nil }
        let without = collection.documents.count - samples.count
        return Measure(
            key: workload.key, title: workload.title, collection: collection.kind,
            threadCount: threadCount,
            note: workload.note + (without > 0 ? "; without \(without) PDFium cannot open" : ""),
            ways: ways.map(\.name), samples: samples)
    }

    private func sample(_ document: Document, _ reads: [Read]) throws -> Sample {
        let replay = Replay(reads)
        var (variants, slow): ([Variant], [Int: Double]) = ([], [:])
        for (index, way) in ways.enumerated() {
            let url = try shelf.url(of: document, for: way)
            // This pass also warms what is to be warm.
            let first = try open(way, url)
            var wrong: UInt64?
            let time = try ContinuousClock().measure {
                wrong = try replay.firstWrong(first, document.data)
            }
            if let wrong { throw BenchError("\(document.name): \(way.name) is wrong at \(wrong)") }
            if time > .seconds(1) {
                slow[index] = time / .nanoseconds(1)
                continue
            }
            // Reading a plain file leaves nothing behind: it is repeated until the clock can see it.
            let isPlain = way is PreadWay || !workload.isCold
            let repeats = isPlain ? max(1, 256 / reads.count) : 1
            variants.append(
                Variant(name: way.name, repeats: repeats) {
                    let sources = isPlain ? first : try open(way, url)
                    return replay.run(sources, repeats: repeats)
                })
        }
        // Two threads are rarely both left alone where others work, too.
        let effort = Effort(
            rounds: rounds, attempts: threadCount == 1 ? 5 : 12, budget: .milliseconds(500))
        var times = try interleave(variants, effort)
        // What takes seconds is not waited for again.
        for (index, time) in slow.sorted(by: { $0.key < $1.key }) {
            times.insert([time], at: index)
        }
        return Sample(
            document: document.name, byteCount: document.data.count,
            operationCount: reads.count, nanoseconds: times)
    }

    /// A source for each thread.
    private func open(_ way: any Way, _ url: URL) throws -> [any Source] {
        if way.isShared {
            let source = try way.open(url, cacheByteBudget: Self.cacheByteBudget)
            return Array(repeating: source, count: threadCount)
        }
        return try (0..<threadCount).map { _ in
            try way.open(url, cacheByteBudget: Self.cacheByteBudget / threadCount)
        }
    }
}
