import Foundation

/// All that a run of the benchmark found, and where.
struct Report: Encodable {
    let command = CommandLine.arguments.joined(separator: " ")
    let machine = Machine()
    let date = Date()
    let seed: UInt64
    let rounds: Int
    let scratch: String
    var measures: [Measure] = []

    var heading: String {
        """
        \(machine.coreCount) cores, \(machine.kernel), load \(String(format: "%.1f", machine.load)) before; \
        \(rounds) interleaved rounds, seed \(seed), scratch files in \(scratch)
        \(command)
        Medians of the rounds' ratios to the first way, so 2.00 is twice its time. Files are in the page cache. A load
        of other programs falls harder on long runs than on short ones: it makes the stores look worse.
        """
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

struct Machine: Encodable {
    let coreCount = ProcessInfo.processInfo.activeProcessorCount
    let kernel: String
    /// Programs that wanted a core in the minute before.
    let load: Double

    init() {
        var load = 0.0
        unsafe getloadavg(&load, 1)
        self.load = load
        var name = utsname()
        unsafe uname(&name)
        // SAFETY: uname ends each of its fields with a zero.
        let text = { (field: UnsafeRawBufferPointer) in
            unsafe String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
        }
        kernel = unsafe [
            withUnsafeBytes(of: name.sysname, text), withUnsafeBytes(of: name.release, text),
            withUnsafeBytes(of: name.machine, text),
        ].joined(separator: " ")
    }
}

extension Measure {
    /// The measure for people.
    var table: String {
        let header =
            ["document", "bytes", "ops"] + variants.dropFirst().map { "x " + $0 } + facts
        var rows = samples.map { cells($0.document, $0) }
        rows.append(cells("all documents, by time", total))
        let medians = variants.indices.dropFirst().map { variant in
            samples.map { $0.ratios[variant] }.median
        }
        let factMedians = facts.indices.map { fact in samples.map { $0.facts[fact] }.median }
        rows.append(["median of documents", "", ""] + (medians + factMedians).map(Self.format))
        return "\(title) (x 1: \(variants[0]); \(note))\n" + Self.align([header] + rows)
    }

    private func cells(_ name: String, _ sample: Sample) -> [String] {
        let facts = sample.facts.isEmpty ? facts.map { _ in "" } : sample.facts.map(Self.format)
        return [name.count > 40 ? name.prefix(39) + "~" : name, "\(sample.byteCount)"]
            + ["\(sample.operationCount)"] + sample.ratios.dropFirst().map(Self.format) + facts
    }

    private static func format(_ value: Double) -> String {
        value.isNaN ? "-" : String(format: value < 100 ? "%.2f" : "%.0f", value)
    }

    private static func align(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ") + "\n"
        }.joined()
    }
}
