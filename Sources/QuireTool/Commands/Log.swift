import Foundation
import Quire

/// Lists the commits of a store.
struct Log: Command {
    static let name = "log"
    static let summary = "list the earlier saves of a store"
    static let options: Set<Option> = [.json]
    static let help = """
        usage: quire log [OPTIONS] STORE

        Lists every commit since STORE was last written anew, newest first: its revision, when it was
        saved, and the bytes of document and store by then. Each can be read with quire cat
        --revision, and made the present one again with quire rollback.

        If the record of earlier commits is damaged, those after the damage are listed, and the error
        says where it is.

        options:
              --json      for machines, on standard output: a list with an entry for each commit
          -h, --help      this text

        examples:
          quire log report.pdf.gz
          quire log --json report.pdf.gz | jq '.[1].revision'

        exit status: 0 listed, 1 STORE cannot be read or is not a store, 2 wrong usage,
          3 STORE, or its record of earlier commits, is damaged

        """

    private let file: String
    private let isJSON: Bool

    init(_ arguments: Arguments) throws {
        file = try arguments.store()
        isJSON = arguments.has(.json)
    }

    func run() throws -> ExitStatus { try forEach([file], list) }

    private func list(_ file: String) throws -> ExitStatus {
        let store = try StoreFile(file)
        try store.tellCondition()
        let (history, damage) = try store.provider.reachableHistory()
        let report = HistoryReport(history: history)
        try Console.report(
            isJSON ? report.json.text : report.lines.joined(separator: "\n") + "\n")
        if let damage { throw damage }
        return .ok
    }
}
