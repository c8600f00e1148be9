import Quire

/// Opening and closing.
func measureOpening(_ collection: Collection, _ ways: [any Way], _ shelf: Shelf, rounds: Int) throws
    -> Measure
{
    let samples = try collection.documents.map { document in
        let variants = try ways.map { way in
            let url = try shelf.url(of: document, for: way)
            return Variant(name: way.name, repeats: 20) {
                {
                    for _ in 0..<20 {
                        _ = try way.open(url, cacheByteBudget: ReadMeasure.cacheByteBudget)
                    }
                }
            }
        }
        let times = try interleave(
            variants, Effort(rounds: rounds, attempts: 5, budget: .milliseconds(500)))
        return Sample(
            document: document.name, byteCount: document.data.count, operationCount: 1,
            nanoseconds: times)
    }
    return Measure(
        key: "open", title: "opening and closing", collection: collection.kind, threadCount: 1,
        note: "pread: open, fstat and close", ways: ways.map(\.name), samples: samples)
}
