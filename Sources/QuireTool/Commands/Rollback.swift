import Foundation
import Quire

/// Makes an earlier commit the present one.
struct Rollback: Command {
    static let name = "rollback"
    static let summary = "make an earlier save of a store the present one again"
    static let options: Set<Option> = []
    static let help = """
        usage: quire rollback STORE N

        Makes revision N of those that quire log lists the present one again, and tells what is
        dropped: the later revisions, and a torn append behind them. They cannot be brought back; look at
        a revision with quire cat --revision N before, or keep a copy.

        The STORE changes in one step: an error, a signal or a crash leaves it as it was. Programs
        that have it open go on reading what they have opened. The next save has the number N + 1.

        options:
          -h, --help      this text

        examples:
          quire log report.pdf.gz
          quire cat --revision 3 report.pdf.gz | cmp - report-of-monday.pdf
          quire rollback report.pdf.gz 3

        exit status: 0 rolled back, or it was the present revision already, 1 STORE cannot be read or
          written, is not a store, has no such revision or was saved meanwhile, 2 wrong usage,
          3 STORE is damaged; 130 or 143 stopped by a signal

        """

    private let file: String
    private let revision: UInt64

    init(_ arguments: Arguments) throws {
        guard arguments.operands.count == 2 else {
            throw UsageError(
                "STORE and a revision are needed, \(arguments.operands.count) words were given")
        }
        file = arguments.operands[0]
        try Arguments.checkStore(file)
        revision = try Arguments.revision(arguments.operands[1])
    }

    func run() throws -> ExitStatus { try forEach([file], rollBack) }

    private func rollBack(_ file: String) throws -> ExitStatus {
        let store = try StoreFile(file)
        let before = try store.provider.info()
        Interruption.watch()
        let dropped = try store.provider.rollBack(to: revision)
        let after = try store.provider.info()
        var losses: [String] = []
        if let first = dropped.last, let last = dropped.first {
            let name =
                first.revision == last.revision
                ? "revision \(first.revision)" : "revisions \(first.revision)...\(last.revision)"
            losses.append(
                "\(name), \(Amount.exact(before.documentSize - after.documentSize)) of the document"
            )
        }
        if before.tornByteCount > after.tornByteCount {
            losses.append("\(Amount.exact(before.tornByteCount)) of a torn append")
        }
        let what = losses.isEmpty ? "nothing" : losses.joined(separator: ", and ")
        try Console.report(
            "\(file): revision \(revision), \(Amount.exact(after.documentSize)); dropped: \(what)\n"
        )
        return .ok
    }
}
