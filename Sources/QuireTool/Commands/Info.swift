import Foundation
import Quire

/// Says what a store says of itself.
struct Info: Command {
    static let name = "info"
    static let summary = "sizes, blocks, revisions and condition of a store"
    static let options: Set<Option> = [.blocks, .json]
    static let help = """
        usage: quire info [OPTIONS] STORE

        Tells the sizes of document and store, the blocks, and the revisions since the store was last
        written anew. Reads the index, not the blocks: quire verify checks those.

        If quire compact would pay, a line says what it would spare at least: a twentieth of the bytes,
        or half of the blocks.

        A store whose last append was torn, or whose index had to be rebuilt, is told of as its
        readers see it, with a note on standard error.

        options:
              --blocks    list every block: its document range, its stored bytes, its CRC-32
              --json      for machines, on standard output; sizes and offsets in bytes, times in
                          UTC, ratio as a share of the document (null if that is empty)
          -h, --help      this text

        examples:
          quire info report.pdf.gz
          quire info --json report.pdf.gz | jq .ratio
          quire info --blocks report.pdf.gz | sort -n -k5

        exit status: 0 told, 1 STORE cannot be read or is not a store, 2 wrong usage,
          3 STORE, or its record of earlier revisions, is damaged

        """

    private let file: String
    private let isJSON: Bool
    private let listsBlocks: Bool

    init(_ arguments: Arguments) throws {
        file = try arguments.store()
        isJSON = arguments.has(.json)
        listsBlocks = arguments.has(.blocks)
    }

    func run() throws -> ExitStatus { try forEach([file], tell) }

    private func tell(_ file: String) throws -> ExitStatus {
        let store = try StoreFile(file)
        var report = InfoReport(
            file: file, info: try store.provider.info(),
            blocks: listsBlocks ? try store.provider.blocks() : nil)
        try store.tellCondition()
        var failure: QuireError?
        do { report.history = try store.provider.history() } catch let error as QuireError
            where error.isDamage
        { failure = error }
        try Console.report(isJSON ? report.json.text : report.text)
        if let failure { throw failure }
        return .ok
    }
}
