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

extension BlockSizes {
    /// What the step to the default and the step beyond it give and take.
    var reading: String {
        let start = 1 << 16
        let steps = [start / 2, start].compactMap { size -> String? in
            guard let index = Self.byteCounts.firstIndex(of: size) else { return nil }
            let changes =
                [("size", sizes.storedBytes.map(Double.init))]
                + measures.map { measure in
                    (measure.short, sizes.names.map { measure.ratio(of: $0) ?? .nan })
                } + (inflatedBytesPerPage.isEmpty ? [] : [("inflated", inflatedBytesPerPage)])
            let list = changes.map { name, values in
                "\(name) x \(String(format: "%.3f", values[index + 1] / values[index]))"
            }
            return
                "\(sizes.names[index]) to \(sizes.names[index + 1]): \(list.joined(separator: ", "))"
        }
        return """
            Balanced, by zlib at level 6. What to read off: what the doubling to the default gives and takes, and the one \
            beyond it. \(steps.joined(separator: "; ")).
            """
    }

    /// A row for each size, below a header.
    var rows: [[String]] {
        let header =
            ["block", "x gzip -9"] + measures.map(\.short)
            + (inflatedBytesPerPage.isEmpty ? [] : ["KiB inflated a page"])
        let rows = sizes.names.enumerated().map { index, name in
            [name, sizes.ratioToGzip(of: name).map { String(format: "%.4f", $0) } ?? "-"]
                + measures.map { format($0.ratio(of: name)) }
                + inflatedBytesPerPage.dropFirst(index).prefix(1).map { format($0 / 1024) }
        }
        return [header] + rows
    }

    var table: String { "block sizes\n" + align(rows) }
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
