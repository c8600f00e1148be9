import Foundation

/// Packing all documents, one after the other, beside the compressors that are installed.
struct PackMeasure {
    let ways: [any Way]
    let shelf: Shelf
    let rounds: Int
    /// Compressors that are compared with, and what they are asked for.
    static let tools = ["pigz", "gzip"]

    func measure(_ collection: Collection) throws -> Measure? {
        let documents = collection.documents
        let tools = Self.tools.compactMap { Tool($0) }
        let packers = ways.filter(\.packsFairly)
        guard !documents.isEmpty, !tools.isEmpty || !packers.isEmpty else { return nil }
        let cores = Machine.coreCount
        let scratch = shelf.folder.appending(path: "packed.gz")
        defer { for url in [scratch, scratch.appendingPathExtension("index")] { remove(url) } }
        let variants =
            tools.map { tool in
                let arguments = tool.name == "pigz" ? ["-p\(cores)"] : []
                return Variant(name: ([tool.name] + arguments + ["-6"]).joined(separator: " ")) {
                    { try tool.run(arguments + ["-6", "-c"], documents.map(\.url)) }
                }
            }
            + packers.map { way in
                Variant(name: way.name) {
                    { for document in documents { try way.packOnly(document.url, to: scratch) } }
                }
            }
        let times = try interleave(
            variants, Effort(rounds: rounds, attempts: 1, budget: .seconds(8)))
        let sample = Sample(
            document: "all", byteCount: collection.byteCount, operationCount: documents.count,
            nanoseconds: times)
        return Measure(
            key: "pack", title: "packing all documents", collection: collection.kind,
            threadCount: cores,
            note:
                "stores and BGZF on \(cores) cores, other peers on one; tools to /dev/null, stores to "
                + "memory, peers to files that are not synced",
            ways: variants.map(\.name), samples: [sample])
    }

    private func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }
}
