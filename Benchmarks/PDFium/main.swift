import Foundation
import PDFiumRuntime
import Quire

let help = """
    Runs PDFium for the benchmarks. They start it themselves.

    Usage: pdfium-bench check
           pdfium-bench record DOCUMENT STEM
           pdfium-bench render DOCUMENT|STORE.gz

      check    fails if PDFium is not here
      record   writes the traces STEM.open, .first, .all and .jumps
      render   draws every page (60 at most) and prints the nanoseconds from opening on
    """

func run(_ arguments: [String]) throws {
    let library = try PDFiumLibrary.load()
    if arguments[0] == "check" { return }
    let url = URL(filePath: arguments[1])
    if arguments[0] == "record" {
        for session in Session.allCases {
            let provider = RecordingProvider(url)
            let pageCount = try session.run(on: PDFiumDocument(provider, in: library))
            let trace = URL(filePath: arguments[2] + "." + session.rawValue)
            try Data(provider.trace(ofPages: pageCount).utf8).write(to: trace, options: .atomic)
        }
    } else {
        let time = try ContinuousClock().measure {
            let isStore = url.pathExtension == "gz"
            let provider: any DataProviding & Sendable =
                try isStore ? CompressedDataProvider(url: url) : FileDataProvider(fileURL: url)
            try Session.all.run(on: PDFiumDocument(provider, in: library))
        }
        print(Int(time / .nanoseconds(1)))
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let isKnown =
    switch arguments.first {
    case "check": arguments.count == 1
    case "record": arguments.count == 3
    case "render": arguments.count == 2
    default: false
    }
guard isKnown else {
    print(help)
    exit(2)
}
do { try run(arguments) } catch {
    FileHandle.standardError.write(Data("pdfium-bench: \(error)\n".utf8))
    exit(1)
}
