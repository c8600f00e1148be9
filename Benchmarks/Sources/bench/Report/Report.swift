import Foundation

/// All that a run of the benchmark found, and where.
struct Report: Codable {
    let engine: Engine
    let command: String
    let corpus: String?
    private(set) var machine: Machine
    let date: Date
    let seed: UInt64
    let rounds: Int
    let scratch: String
    /// Name and remark of the ways that have one.
    var remarks: [[String]] = []
    /// What is not here, and so was not measured.
    var missing: [String] = []
    var collections: [[String]] = []
    var sizes: [Sizes] = []
    var measures: [Measure] = []
    var blockSizes: [BlockSizes] = []

    init(seed: UInt64, rounds: Int, scratch: String) {
        engine = .here
        command = (["bench"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
        corpus = ProcessInfo.processInfo.environment["QUIRE_CORPUS"]
        machine = Machine()
        date = Date()
        self.seed = seed
        self.rounds = rounds
        self.scratch = scratch
    }

    mutating func note(_ collection: Collection) {
        missing += collection.missing
        collections.append([
            collection.kind.rawValue, "\(collection.documents.count)", "\(collection.byteCount)",
        ])
    }

    mutating func finish() { machine.loadAfter = Machine.currentLoad() }

    var heading: String {
        """
        \(engine); \(machine.processor), \(machine.coreCount) cores, \(machine.kernel), load \
        \(String(format: "%.1f", machine.loadBefore)) before; \(rounds) interleaved rounds, seed \(seed), \
        scratch files in \(scratch)
        \(corpus.map { "QUIRE_CORPUS=\($0) " } ?? "")\(command)
        Times are ratios to the first way, so 2.00 is twice its time: medians of the rounds' own ratios. Files are in the
        page cache, buffers page-aligned, caches 4 MiB.
        """
    }

    var ending: String { "load \(String(format: "%.1f", machine.loadAfter)) after" }

    /// What `write(to:)` wrote.
    init(at path: String) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        self = try decoder.decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}
