/// What one document, or all of them together, gave.
struct Sample: Encodable {
    let document: String
    let byteCount: Int
    /// How often the thing is done in a run.
    let operationCount: Int
    /// Of a run, by way and round; slow ways have fewer rounds.
    let nanoseconds: [[Double]]
    /// Of each way to the first one: the median of the rounds' own ratios.
    let ratios: [Double]

    init(document: String, byteCount: Int, operationCount: Int, nanoseconds: [[Double]]) {
        self.document = document
        self.byteCount = byteCount
        self.operationCount = operationCount
        self.nanoseconds = nanoseconds
        ratios = nanoseconds.map { zip($0, nanoseconds[0]).map { $0 / $1 }.median }
    }

    /// All documents together, round by round, as far as all of them have the round.
    static func sum(of samples: [Sample]) -> Sample {
        let ways = samples[0].nanoseconds.indices
        return Sample(
            document: "all", byteCount: samples.reduce(0) { $0 + $1.byteCount },
            operationCount: samples.reduce(0) { $0 + $1.operationCount },
            nanoseconds: ways.map { way in
                let rounds = samples.map { $0.nanoseconds[way].count }.min() ?? 0
                return (0..<rounds).map { round in
                    samples.reduce(0) { $0 + $1.nanoseconds[way][round] }
                }
            })
    }
}

/// One measure over all documents of a collection.
struct Measure: Encodable {
    let key: String
    let title: String
    let collection: Collection.Kind
    let threadCount: Int
    /// What has to be known to read it.
    let note: String
    /// The first one is the baseline.
    let ways: [String]
    let samples: [Sample]
    /// All documents together, by time.
    let total: Sample

    init(
        key: String, title: String, collection: Collection.Kind, threadCount: Int, note: String,
        ways: [String], samples: [Sample], total: Sample? = nil
    ) {
        self.key = key
        self.title = title
        self.collection = collection
        self.threadCount = threadCount
        self.note = note
        self.ways = ways
        self.samples = samples
        self.total = total ?? .sum(of: samples)
    }

    /// The title of a narrow column.
    var short: String {
        let titles = [
            "replay-open": "PDFium opens", "replay-first": "PDFium, first page",
            "replay-all": "PDFium, all pages", "replay-jumps": "PDFium, jumps",
            "random-cold": "random 4K, cold", "random-warm": "random 4K, cached",
            "sequential": "sequential 64K", "open": "open and close",
        ]
        return titles[key] ?? title
    }

    /// The ratio of a way's total; nil if it was not measured here.
    func ratio(of way: String) -> Double? {
        ways.firstIndex(of: way).map { total.ratios[$0] }
    }

    /// The middle one of the documents' ratios.
    func medianRatio(of way: Int) -> Double { samples.map { $0.ratios[way] }.median }
    func worstRatio(of way: Int) -> Double { samples.map { $0.ratios[way] }.max() ?? .nan }
}
