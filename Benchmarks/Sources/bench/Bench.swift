import Foundation

@main
enum Bench {
    private static let help = """
        usage: bench [--rounds N] [--seed N] [--json FILE] [FILE or folder ...]

        Measures stores beside plain files. Of a folder it takes the PDFs over 64 KiB. Without files it takes
        the folder that QUIRE_CORPUS names, or the fixtures of the tests.

          --rounds N    interleaved rounds, 7 or more (default 7)
          --seed N      of the random offsets (default 1)
          --json FILE   writes all numbers to FILE as well
        """

    static func main() {
        do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var (rounds, seed, json, paths) = (7, UInt64(1), String?.none, [String]())
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--rounds": rounds = try number(rest.popFirst(), of: argument, atLeast: 7)
            case "--seed": seed = try number(rest.popFirst(), of: argument, atLeast: 0)
            case "--json":
                json = rest.popFirst()
                if json == nil { throw BenchError("--json needs a file") }
            case "--help", "-h": return print(help)
            case _ where argument.hasPrefix("-"): throw BenchError("what is \(argument)?\n\(help)")
            default: paths.append(argument)
            }
        }
        #if DEBUG
            print("This is a debug build: nothing that follows means anything.")
        #endif
        let files = try Corpus.files(paths)
        guard !files.isEmpty else { throw BenchError("there are no PDFs to measure") }
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "quire-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        var report = Report(seed: seed, rounds: rounds, scratch: scratch.path)
        print(report.heading, terminator: "\n\n")
        let documents = try files.enumerated().map {
            try Document($1, number: $0, scratch: scratch)
        }
        func add(_ measure: Measure) {
            print(measure.table)
            report.measures.append(measure)
        }
        for pattern in ReadPattern.all(seed: seed) {
            add(try pattern.measure(documents, rounds: rounds))
        }
        add(try measureOpening(documents, rounds: rounds))
        add(try PackMeasure(documents, rounds: rounds).measure())
        add(try AppendMeasure(documents: documents, rounds: rounds, scratch: scratch).measure())
        if let json { try report.write(to: json) }
    }

    private static func number<N: FixedWidthInteger>(
        _ text: String?, of option: String, atLeast least: N
    ) throws -> N {
        guard let text, let number = N(text), number >= least else {
            throw BenchError("\(option) needs a number, \(least) or more")
        }
        return number
    }
}
