import Foundation

/// A ratio for people: three digits say all that repeats.
func format(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value)
}

/// Columns under each other, the first one to the left.
func align(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        zip(row, widths).enumerated().map { column, cell in
            let space = String(repeating: " ", count: cell.1 - cell.0.count)
            return column == 0 ? cell.0 + space : space + cell.0
        }.joined(separator: "  ") + "\n"
    }.joined()
}

/// A table of Markdown; the first row is its header.
func markdown(_ rows: [[String]]) -> String {
    let lines = rows.map { "| " + $0.joined(separator: " | ") + " |\n" }
    let rule = "|" + String(repeating: "---|", count: rows[0].count) + "\n"
    return lines[0] + rule + lines.dropFirst().joined()
}

extension Measure {
    private var heading: String {
        let threads = threadCount == 1 ? "1 thread" : "\(threadCount) threads"
        return "\(title), \(threads) (x \(ways[0]); \(note))\n"
    }

    /// A line for each way.
    var table: String {
        let operations = Double(total.operationCount)
        let rows = ways.indices.map { way in
            [
                ways[way], format(total.ratios[way]), format(medianRatio(of: way)),
                format(worstRatio(of: way)),
                format(total.nanoseconds[way].median / operations / 1000),
            ]
        }
        return heading
            + align([["way", "all by time", "median document", "worst", "us each"]] + rows)
    }

    /// A line for each document.
    var documentTable: String {
        let header = ["document", "bytes", "ops"] + ways.dropFirst()
        let rows = samples.map { sample in
            [sample.document.count > 40 ? sample.document.prefix(39) + "~" : sample.document]
                + ["\(sample.byteCount)", "\(sample.operationCount)"]
                + sample.ratios.dropFirst().map { format($0) }
        }
        return heading + align([header] + rows)
    }
}

extension Sizes {
    var table: String {
        let rows = names.map { name in
            [
                name, percent(of: name).map { String(format: "%.2f", $0) } ?? "-",
                ratioToGzip(of: name).map { String(format: "%.4f", $0) } ?? "-",
            ]
        }
        return "stored size, indexes included\n" + align([["way", "%", "x gzip -9"]] + rows)
    }
}
