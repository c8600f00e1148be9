/// Rows of text in columns that line up.
struct Table {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// - Parameter columns: heading and alignment of each.
    init(_ columns: [(String, Alignment)]) {
        alignments = columns.map(\.1)
        rows = [columns.map(\.0)]
    }

    mutating func append(_ row: [String]) { rows.append(row) }

    /// A line for each row, its end without spaces.
    var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, text) in row.enumerated() {
                let space = String(repeating: " ", count: widths[column] - text.count)
                line += alignments[column] == .left ? text + space : space + text
                line += "  "
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
