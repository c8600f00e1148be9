/// What one document, or all of them together, gave.
struct Sample: Encodable {
    let document: String
    let byteCount: Int
    /// How often the thing is done in a run.
    let operationCount: Int
    /// Of a run, by variant and round.
    let nanoseconds: [[Double]]
    /// Of each variant to the first one: the median of the rounds' own ratios.
    let ratios: [Double]
    /// Values that are no ratios of times, by the measure's `facts`.
    var facts: [Double]

    init(
        document: String, byteCount: Int, operationCount: Int, nanoseconds: [[Double]],
        facts: [Double] = []
    ) {
        self.document = document
        self.byteCount = byteCount
        self.operationCount = operationCount
        self.nanoseconds = nanoseconds
        self.facts = facts
        ratios = nanoseconds.map { zip($0, nanoseconds[0]).map { $0 / $1 }.median }
    }
}

/// One measure over all documents.
struct Measure: Encodable {
    let title: String
    /// What has to be known to read it.
    let note: String
    /// The first one is the baseline.
    let variants: [String]
    /// Titles of the samples' facts.
    let facts: [String]
    let samples: [Sample]
    /// All documents together, by time.
    let total: Sample

    /// - Parameter total: if it was measured as such; otherwise the samples' times are added up, round by round.
    init(
        _ title: String, note: String, variants: [String], facts: [String] = [],
        samples: [Sample], total: Sample? = nil
    ) {
        self.title = title
        self.note = note
        self.variants = variants
        self.facts = facts
        self.samples = samples
        self.total = total ?? .sum(of: samples)
    }
}

extension Sample {
    fileprivate static func sum(of samples: [Sample]) -> Sample {
        var nanoseconds = samples[0].nanoseconds
        for sample in samples.dropFirst() {
            for (variant, rounds) in sample.nanoseconds.enumerated() {
                for (round, time) in rounds.enumerated() { nanoseconds[variant][round] += time }
            }
        }
        return Sample(
            document: "all", byteCount: samples.reduce(0) { $0 + $1.byteCount },
            operationCount: samples.reduce(0) { $0 + $1.operationCount }, nanoseconds: nanoseconds)
    }
}
