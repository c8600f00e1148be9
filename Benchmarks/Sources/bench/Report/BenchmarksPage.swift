import Foundation

/// Docs/BENCHMARKS.md and its charts.
struct BenchmarksPage {
    private let findings: Findings
    private let folder = Corpus.package.appending(path: "Docs")
    private var charts: URL { folder.appending(path: "charts") }

    init(_ findings: Findings) { self.findings = findings }

    func write() throws {
        try? FileManager.default.removeItem(at: charts)
        try FileManager.default.createDirectory(at: charts, withIntermediateDirectories: true)
        var parts = [introduction, targets]
        for sizes in findings.sizes { parts.append(try section(of: sizes)) }
        parts.append(remarks)
        let page = folder.appending(path: "BENCHMARKS.md")
        try Data(parts.joined(separator: "\n").utf8).write(to: page)
        say("wrote \(page.path) and \(charts.path)")
    }

    private var introduction: String {
        let report = findings.reports[0]
        let loads = findings.reports.flatMap { [$0.machine.loadBefore, $0.machine.loadAfter] }
        let load = String(format: "%.1f to %.1f", loads.min() ?? .nan, loads.max() ?? .nan)
        return """
            # Benchmarks

            Made by `make bench-docs`; do not edit. How to measure, and what the names mean: [Benchmarks](../Benchmarks/README.md).

            - Machine: \(report.machine.processor), \(findings.coreCount) cores, \(report.machine.kernel); load \(load) \
            at the begin and end of runs.
            - Command: `\(report.corpus == nil ? "" : "QUIRE_CORPUS=… ")make bench-docs`, \
            \(report.date.formatted(.iso8601.year().month().day())).
            - **Every number is a ratio of times** to the plain file read by `pread` into an aligned buffer: 2.00 is twice its time.
              It is the median of \(report.rounds) interleaved rounds, of the time over all documents together; the median of the
              documents follows in brackets. Everything lies in the page cache, so the plain file is at its fastest.
            - Caches hold 4 MiB of inflated blocks. Sizes include indexes. Each block's CRC is checked when it is first read.
            - **Quire** is a store by one of its engines, zlib or libdeflate, and what it favors; at level 6, or at that named.
              Each engine is a build of its own, beside `pread`, BGZF and zstd in the same rounds.
            - **One thread is not one core**: where a reader goes from block to block, a store loads the next ones on another
              core. What that gains is seen beside the tables of one core, where there is none.

            """
    }

    private var targets: String {
        """
        ## What stores are to show

        As they are, unless said; one thread. Sizes of libdeflate are those of level 12. Whether a bound is met is computed.

        \(findings.targets)
        """
    }

    private func section(of sizes: Sizes) throws -> String {
        let kind = sizes.collection
        let measures = findings.measures.filter { $0.collection == kind }
        let count = measures.map(\.samples.count).max() ?? 0
        var text = """
            ## \(kind.title)

            \(count) documents, \(String(format: "%.1f", Double(sizes.documentBytes) / 1e6)) MB.

            """
        let cores = findings.coreCount
        let replay = measures.first {
            ($0.key, $0.threadCount, $0.coreCount) == ("replay-all", 1, cores)
        }
        if let replay { text += try frontier(replay, sizes) }
        for threads in [1, 2] {
            let reads = measures.filter {
                $0.isRead && $0.threadCount == threads && $0.coreCount == cores
            }
            guard !reads.isEmpty else { continue }
            text += "\n### Reading, \(threads == 1 ? "one thread" : "two threads")\n\n"
            text += table(of: reads, sizes)
            for measure in reads where threads == 1 { text += try chart(of: measure) }
        }
        let alone = measures.filter { $0.isRead && $0.coreCount < cores }
        if !alone.isEmpty {
            text += "\n### Reading, one thread on one core\n\n"
            text += "The whole program on one core (`taskset -c 0`).\n\n" + table(of: alone, sizes)
        }
        for measure in measures where !measure.isRead {
            text += "\n### \(measure.title.prefix(1).uppercased() + measure.title.dropFirst())\n\n"
            let rows = measure.ways.indices.map { [measure.ways[$0], cell(measure, $0)] }
            text += "\(measure.note). x \(measure.ways[0]).\n\n" + markdown([["", "time"]] + rows)
            text += try chart(of: measure)
        }
        for blocks in findings.blockSizes where blocks.sizes.collection == kind {
            text += "\n### Block size\n\n\(blocks.reading)\n\n" + markdown(blocks.rows)
        }
        return text
    }

    /// A row for each way, a column for each measure.
    private func table(of measures: [Measure], _ sizes: Sizes) -> String {
        let names = measures.reduce(into: [String]()) { names, measure in
            if measure.ways.count > names.count { names = measure.ways }
        }
        let rows = names.map { name in
            let size = [
                sizes.percent(of: name).map { String(format: "%.1f", $0) } ?? "-",
                sizes.ratioToGzip(of: name).map { String(format: "%.3f", $0) } ?? "-",
            ]
            return [name] + size
                + measures.map { measure in
                    measure.ways.firstIndex(of: name).map { cell(measure, $0) } ?? "-"
                }
        }
        return markdown([["", "size, %", "x gzip -9"] + measures.map(\.short)] + rows)
    }

    private func cell(_ measure: Measure, _ way: Int) -> String {
        let total = format(measure.total.ratios[way])
        guard way > 0, measure.samples.count > 1 else { return total }
        return "\(total) (\(format(measure.medianRatio(of: way))))"
    }

    private func frontier(_ replay: Measure, _ sizes: Sizes) throws -> String {
        let points = sizes.names.indices.compactMap { index in
            sizes.storedBytes[index] == sizes.documentBytes
                ? nil
                : replay.ratio(of: sizes.names[index]).map {
                    (
                        name: sizes.names[index], time: $0,
                        size: sizes.percent(of: sizes.names[index]) ?? 0
                    )
                }
        }
        let name = "frontier-\(replay.collection).svg"
        let title = "Size against replay of PDFium drawing all pages, \(sizes.collection.title)"
        try save(Frontier(title: title, points: points).svg, name)
        return "\n![size against replay time](charts/\(name))\n"
    }

    private func chart(of measure: Measure) throws -> String {
        let values = measure.ways.indices.map {
            (name: measure.ways[$0], value: measure.total.ratios[$0])
        }
        let name = "\(measure.key)-\(measure.collection).svg"
        try save(Chart.bars("\(measure.title) (x \(measure.ways[0]))", values), name)
        return "\n![\(measure.title)](charts/\(name))\n"
    }

    private func save(_ chart: String, _ name: String) throws {
        try Data(chart.utf8).write(to: charts.appending(path: name))
    }

    private var remarks: String {
        let ways = findings.reports.flatMap(\.remarks).unique.map { "- **\($0[0])**: \($0[1])." }
        let missing = findings.reports.flatMap(\.missing).unique.map { "- \($0)" }
        return """
            ## The other formats, and what is not fair

            Each is a library built on the machine from its own sources or headers and called from the same loop; files are packed
            at level 6 unless the name says otherwise. With two threads each of them has a handle for each thread and half of the
            cache for each; stores, the mapping and the plain file are shared. A dash: not measured, as it is slow, or as
            it differs from its neighbour in size alone.

            \(ways.joined(separator: "\n"))

            \((missing.isEmpty ? ["Nothing was missing."] : ["Not measured:"] + missing).joined(separator: "\n"))

            """
    }
}

extension Measure {
    /// Whether it belongs into the tables of reading.
    fileprivate var isRead: Bool { ways[0] == "pread" }
}

extension Array where Element: Equatable {
    /// Without what was there before.
    fileprivate var unique: [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
