import Foundation

/// All that a run of the benchmark found, and where.
struct Report: Encodable {
    let command = (["bench"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
    let corpus = ProcessInfo.processInfo.environment["QUIRE_CORPUS"]
    private(set) var machine = Machine()
    let date = Date()
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

    init(seed: UInt64, rounds: Int, scratch: String) {
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
        \(machine.processor), \(machine.coreCount) cores, \(machine.kernel), load \
        \(String(format: "%.1f", machine.loadBefore)) before; \(rounds) interleaved rounds, seed \(seed), \
        scratch files in \(scratch)
        \(corpus.map { "QUIRE_CORPUS=\($0) " } ?? "")\(command)
        Times are ratios to the first way, so 2.00 is twice its time: medians of the rounds' own ratios. Files are in the
        page cache, buffers page-aligned, caches 4 MiB.
        """
    }

    var ending: String { "load \(String(format: "%.1f", machine.loadAfter)) after" }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}
