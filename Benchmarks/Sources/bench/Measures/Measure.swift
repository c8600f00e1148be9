/// What one document, or all of them together, gave.
struct Sample: Codable {
    let document: String
    let byteCount: Int
    /// How often the thing is done in a run.
    let operationCount: Int
    /// Of a run, by way and round; slow ways have fewer rounds.
    private(set) var nanoseconds: [[Double]]
    /// Of each way to the first one of its run: the median of the rounds' own ratios.
    private(set) var ratios: [Double]

    init(document: String, byteCount: Int, operationCount: Int, nanoseconds: [[Double]]) {
        self.document = document
        self.byteCount = byteCount
        self.operationCount = operationCount
        self.nanoseconds = nanoseconds
        ratios = nanoseconds.map { zip($0, nanoseconds[0]).map { $0 / $1 }.median }
    }

    /// Of one way to another of the same run: the median of the rounds' own ratios.
    func ratio(of way: Int, to other: Int) -> Double {
        zip(nanoseconds[way], nanoseconds[other]).map { $0 / $1 }.median
    }

    /// Adds ways of another run of the same.
    fileprivate mutating func insert(_ ways: [Int], of other: Sample, at place: Int) {
        nanoseconds.insert(contentsOf: ways.map { other.nanoseconds[$0] }, at: place)
        ratios.insert(contentsOf: ways.map { other.ratios[$0] }, at: place)
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
struct Measure: Codable {
    let key: String
    let title: String
    let collection: Collection.Kind
    let threadCount: Int
    /// Cores that it had.
    let coreCount: Int
    /// What has to be known to read it.
    let note: String
    /// The first one is the baseline.
    private(set) var ways: [String]
    private(set) var samples: [Sample]
    /// All documents together, by time.
    private(set) var total: Sample

    init(
        key: String, title: String, collection: Collection.Kind, threadCount: Int, note: String,
        ways: [String], samples: [Sample], total: Sample? = nil
    ) {
        self.key = key
        self.title = title
        self.collection = collection
        self.threadCount = threadCount
        coreCount = Machine.coreCount
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

    /// The ratio of a way's total to that of another in the same run; nil if one was not measured here.
    func ratio(of way: String, to other: String) -> Double? {
        guard let way = ways.firstIndex(of: way), let other = ways.firstIndex(of: other)
        else { return nil }
        return total.ratio(of: way, to: other)
    }

    /// Whether it measures the same as another one, for other ways.
    func isLike(_ other: Measure) -> Bool {
        (key, collection, threadCount, coreCount)
            == (other.key, other.collection, other.threadCount, other.coreCount)
    }

    /// Adds the ways of another run that this one has not, behind its own stores.
    mutating func join(_ other: Measure) throws {
        guard samples.map(\.document) == other.samples.map(\.document) else {
            throw BenchError("\(title): the runs are of different documents")
        }
        let new = other.ways.indices.filter { !ways.contains(other.ways[$0]) }
        let place = ways.placeBehindStores
        ways.insert(contentsOf: new.map { other.ways[$0] }, at: place)
        for index in samples.indices {
            samples[index].insert(new, of: other.samples[index], at: place)
        }
        total.insert(new, of: other.total, at: place)
    }

    /// The middle one of the documents' ratios.
    func medianRatio(of way: Int) -> Double { samples.map { $0.ratios[way] }.median }
    func worstRatio(of way: Int) -> Double { samples.map { $0.ratios[way] }.max() ?? .nan }
}

extension [String] {
    /// Where the names of more stores belong among those of ways.
    var placeBehindStores: Int { (lastIndex { $0.hasPrefix("Quire") } ?? count - 1) + 1 }
}
