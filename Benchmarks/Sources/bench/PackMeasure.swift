import Foundation
import Quire

/// Writes a document through a compressing sink at level 6, reading it in steps of 1 MiB.
func pack(_ url: URL, into upstream: any DataSink) throws {
    let document = FileDataProvider(fileURL: url)
    let sink = try CompressedDataSink(upstream, configuration: .init(level: 6))
    for offset in stride(from: 0, to: document.size, by: 1 << 20) {
        guard sink.write(try document.readData(withSize: 1 << 20, atOffset: offset)) else { break }
    }
    if !sink.finish() { throw sink.failure ?? BenchError("the sink failed") }
}

/// Packing into memory, beside the compressors that are installed, whose output is thrown away.
struct PackMeasure {
    let documents: [Document]
    let rounds: Int
    private let tools: [Tool]
    private let missing: [String]
    /// Short documents are packed again in a run, so that the start of a tool is no large part of it.
    private let bytesPerRun = 2 << 20

    init(_ documents: [Document], rounds: Int) {
        self.documents = documents
        self.rounds = rounds
        let names = ["gzip", "pigz"]
        let tools = names.compactMap { Tool($0) }
        self.tools = tools
        missing = names.filter { name in !tools.contains { $0.name == name } }
    }

    func measure() throws -> Measure {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return Measure(
            "packing at level 6",
            note: "gzip uses one core, the others all \(cores)"
                + (missing.isEmpty
                    ? "" : "; not installed: " + missing.joined(separator: ", ")),
            variants: tools.map { $0.name + " -6" } + ["store"],
            facts: ["MB/s", "store %", "gzip -9 %", "store/gzip -9"],
            samples: try documents.map { try sample([$0], named: $0.name) },
            total: try sample(documents, named: "all"))
    }

    private func sample(_ documents: [Document], named name: String) throws -> Sample {
        let byteCount = documents.reduce(0) { $0 + $1.data.count }
        let repeats = max(1, bytesPerRun / byteCount)
        let urls = Array(repeating: documents.map(\.url), count: repeats).flatMap { $0 }
        let times = try interleave(
            tools.map { tool in
                Variant(name: tool.name, repeats: repeats) { { try tool.run(["-6", "-c"], urls) } }
            } + [
                Variant(name: "store", repeats: repeats) {
                    { for url in urls { try pack(url, into: DataContainerSink()) } }
                }
            ], rounds: rounds, attempts: 1)
        let stored = Double(documents.reduce(0) { $0 + $1.storeSize })
        let gzipped = try gzipSize(of: documents)
        return Sample(
            document: name, byteCount: byteCount, operationCount: documents.count,
            nanoseconds: times,
            facts: [
                Double(byteCount) * 1000 / times[times.count - 1].median,
                100 * stored / Double(byteCount), 100 * gzipped / Double(byteCount),
                stored / gzipped,
            ])
    }

    /// Bytes of the documents as gzip -9 makes them, each on its own; not a number without gzip.
    private func gzipSize(of documents: [Document]) throws -> Double {
        guard let gzip = tools.first(where: { $0.name == "gzip" }) else { return .nan }
        return Double(try gzip.outputSize(["-9", "-n", "-c"], documents.map(\.url)))
    }
}
