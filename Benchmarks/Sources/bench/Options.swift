import Foundation

/// What the command line asks for.
struct Options {
    var rounds = 7
    var seed: UInt64 = 1
    var json: String?
    var reports: [String] = []
    var showsDocuments = false
    var limit = 24
    var measures: [String] = defaultMeasures
    var ways: [String] = []
    var threads = [1, 2]
    var collections = Collection.Kind.allCases
    var paths: [String] = []

    static let allMeasures =
        Trace.Session.allCases.map { "replay-\($0)" }
        + [
            "random-cold", "random-warm", "sequential", "open", "pack", "append", "render",
            "block-size",
        ]
    static let defaultMeasures = [
        "replay-all", "random-cold", "random-warm", "sequential", "open", "pack", "append",
    ]

    static let help = """
        usage: bench [options] [FILE or folder ...]

        Measures stores beside plain files and other formats. Of a folder it takes the PDFs over 64 KiB. Without files
        it takes the folder that QUIRE_CORPUS names, or the fixtures of the tests.

          --measures A,B    of \(allMeasures.joined(separator: " "))
                            (default: \(defaultMeasures.joined(separator: ",")))
          --ways A,B        by name, or by how names begin, as Quire; pread is always there (default: all)
          --threads N       1, 2 or 1,2 (default)
          --collections A   asTheyAre, uncompressed or both (default)
          --limit MB        leaves uncompressed copies over MB megabytes out (default 24)
          --rounds N        interleaved rounds, 3 or more (default 7)
          --seed N          of the random offsets (default 1)
          --documents       a table of the documents, too
          --json FILE       writes all numbers to FILE
          --page A,B        measures nothing: writes Docs/BENCHMARKS.md and Docs/charts from the JSON files A, B ...

        Peers are built from Benchmarks/peers into .build/peers; `Benchmarks/peers/build.sh --fetch` gets their sources.
        """

    /// Nil if help was asked for.
    init?(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else {
                    throw BenchError("\(argument) needs a value")
                }
                return value
            }
            func list() throws -> [String] { try value().split(separator: ",").map(String.init) }
            func number<N: FixedWidthInteger>(atLeast least: N) throws -> N {
                guard let number = N(try value()), number >= least else {
                    throw BenchError("\(argument) needs a number, \(least) or more")
                }
                return number
            }
            switch argument {
            case "--measures":
                let list = try list()
                if let odd = list.first(where: { !Self.allMeasures.contains($0) }) {
                    throw BenchError("there is no measure \(odd)\n\(Self.help)")
                }
                measures = list
            case "--ways": ways = try list()
            case "--threads":
                threads = try list().compactMap(Int.init)
                guard !threads.isEmpty, threads.allSatisfy({ 1...2 ~= $0 }) else {
                    throw BenchError("--threads needs 1, 2 or 1,2")
                }
            case "--collections":
                collections = try list().map {
                    guard let kind = Collection.Kind(rawValue: $0) else {
                        throw BenchError("there is no collection \($0)")
                    }
                    return kind
                }
            case "--rounds": rounds = try number(atLeast: 3)
            case "--limit": limit = try number(atLeast: 1)
            case "--seed": seed = try number(atLeast: 0)
            case "--documents": showsDocuments = true
            case "--json": json = try value()
            case "--page": reports = try list()
            case "--help", "-h": return nil
            case _ where argument.hasPrefix("-"):
                throw BenchError("what is \(argument)?\n\(Self.help)")
            default: paths.append(argument)
            }
        }
    }
}
