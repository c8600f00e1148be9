import Foundation

/// Docs/BENCHMARKS.md and its charts.
struct BenchmarksPage {
    private let report: Report
    private let folder = Corpus.package.appending(path: "Docs")

    init(_ report: Report) { self.report = report }

    func write() throws {
        let charts = folder.appending(path: "charts")
        try? FileManager.default.removeItem(at: charts)
        try FileManager.default.createDirectory(at: charts, withIntermediateDirectories: true)
        var parts = [introduction]
        for sizes in report.sizes { parts.append(try section(of: sizes, charts)) }
        parts.append(remarks)
        let page = folder.appending(path: "BENCHMARKS.md")
        try Data(parts.joined(separator: "\n").utf8).write(to: page)
        say("wrote \(page.path) and \(charts.path)")
    }

    private var introduction: String {
        let load = [report.machine.loadBefore, report.machine.loadAfter].map {
            String(format: "%.1f", $0)
        }
        return """
            # Benchmarks

            Made by `make bench-docs`; do not edit. How to measure, and what the names mean: [Benchmarks](../Benchmarks/README.md).

            - Machine: \(report.machine.processor), \(report.machine.coreCount) cores, \(report.machine.kernel); load \(load[0]) \
            before and \(load[1]) after.
            - Command: `\(report.corpus == nil ? "" : "QUIRE_CORPUS=… ")\(report.command)`, \
            \(report.date.formatted(.iso8601.year().month().day())).
            - **Every number is a ratio of times** to the plain file read by `pread` into an aligned buffer: 2.00 is twice its time.
              It is the median of \(report.rounds) interleaved rounds, of the time over all documents together; the median of the
              documents follows in brackets. Everything lies in the page cache, so the plain file is at its fastest.
            - Caches hold 4 MiB of inflated blocks. Sizes include indexes.

            """
    }

    private func section(of sizes: Sizes, _ charts: URL) throws -> String {
        let kind = sizes.collection
        let measures = report.measures.filter { $0.collection == kind }
        let count = measures.map(\.samples.count).max() ?? 0
        var text = """
            ## \(kind == .asTheyAre ? "PDFs as they are" : "The same PDFs with uncompressed streams (qpdf)")

            \(count) documents, \(String(format: "%.1f", Double(sizes.documentBytes) / 1e6)) MB.

            """
        if let replay = measures.first(where: { $0.key == "replay-all" && $0.threadCount == 1 }) {
            let points = sizes.names.compactMap { name in
                sizes.storedBytes[sizes.names.firstIndex(of: name) ?? 0] == sizes.documentBytes
                    ? nil
                    : replay.ratio(of: name).map {
                        (name: name, time: $0, size: sizes.percent(of: name) ?? 0)
                    }
            }
            let name = "frontier-\(kind).svg"
            let title = "Size against replay of PDFium drawing all pages"
            try save(Frontier(title: title, points: points).svg, name, charts)
            text += "\n![size against replay time](charts/\(name))\n"
        }
        for threads in [1, 2] {
            let reads = measures.filter { isRead($0) && $0.threadCount == threads }
            guard !reads.isEmpty else { continue }
            text += "\n### Reading, \(threads == 1 ? "one thread" : "two threads")\n\n"
            text += table(of: reads, sizes)
            for measure in reads where threads == 1 {
                text += try chart(of: measure, charts)
            }
        }
        for measure in measures where !isRead(measure) {
            text += "\n### \(measure.title.prefix(1).uppercased() + measure.title.dropFirst())\n\n"
            text += "\(measure.note). x \(measure.ways[0]).\n\n| | time |\n|---|---|\n"
            for way in measure.ways.indices {
                text += "| \(measure.ways[way]) | \(cell(measure, way)) |\n"
            }
            text += try chart(of: measure, charts)
        }
        return text
    }

    private func isRead(_ measure: Measure) -> Bool {
        measure.ways[0] == "pread"
    }

    /// A row for each way, a column for each measure.
    private func table(of measures: [Measure], _ sizes: Sizes) -> String {
        let header = ["", "size, %", "x gzip -9"] + measures.map(\.short)
        var text = "| " + header.joined(separator: " | ") + " |\n"
        text += "|" + String(repeating: "---|", count: header.count) + "\n"
        for name in measures[0].ways {
            let size = [
                sizes.percent(of: name).map { String(format: "%.1f", $0) } ?? "-",
                sizes.ratioToGzip(of: name).map { String(format: "%.3f", $0) } ?? "-",
            ]
            let cells =
                [name] + size
                + measures.map { measure in
                    measure.ways.firstIndex(of: name).map { cell(measure, $0) } ?? "-"
                }
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        return text
    }

    private func cell(_ measure: Measure, _ way: Int) -> String {
        let total = format(measure.total.ratios[way])
        guard way > 0, measure.samples.count > 1 else { return total }
        return "\(total) (\(format(measure.medianRatio(of: way))))"
    }

    private func chart(of measure: Measure, _ charts: URL) throws -> String {
        let values = measure.ways.indices.map {
            (name: measure.ways[$0], value: measure.total.ratios[$0])
        }
        let name = "\(measure.key)-\(measure.collection).svg"
        try save(Chart.bars("\(measure.title) (x \(measure.ways[0]))", values), name, charts)
        return "\n![\(measure.title)](charts/\(name))\n"
    }

    private func save(_ chart: String, _ name: String, _ charts: URL) throws {
        try Data(chart.utf8).write(to: charts.appending(path: name))
    }

    private var remarks: String {
        let ways = report.remarks.map { "- **\($0[0])**: \($0[1])." }
        let missing =
            report.missing.isEmpty
            ? ["Nothing was missing."] : ["Not measured:"] + report.missing.map { "- \($0)" }
        return """
            ## The other formats, and what is not fair

            Each is a library built on the machine from its own sources or headers and called from the same loop; files are packed
            at level 6 unless the name says otherwise. With two threads each of them has a handle for each thread and half of the
            cache for each; stores, the mapping and the plain file are shared.

            \(ways.joined(separator: "\n"))

            \(missing.joined(separator: "\n"))

            """
    }
}
