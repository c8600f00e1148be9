import Foundation
import Quire

/// Writes a document, or a range of it, to standard output.
struct Cat: Command {
    static let name = "cat"
    static let summary = "write a document, or a range of it, to standard output"
    static let options: Set<Option> = [.length, .offset, .revision]
    static let help = """
        usage: quire cat [OPTIONS] STORE

        Writes the document in STORE, or the range that is asked for, to standard output. Only the
        blocks that the range touches are read, and each is checked before a byte of it is written.
        All bytes are of one revision, whoever saves meanwhile: the present one, or one of those that
        quire log lists.

        If a block is damaged, what comes before it is written, and the error names the bytes of the
        document that are lost; go on behind them with --offset.

        options:
              --offset N    where in the document to begin, in bytes; default 0
              --length N    bytes to write at most; default all to the end
              --revision N  the document as it was saved then; default the present revision
          -h, --help        this text

        N may end in K, M or G, powers of 1024. A range past the end is cut there, without an error.

        examples:
          quire cat report.pdf.gz > report.pdf
          quire cat report.pdf.gz --length 8
          quire cat report.pdf.gz --offset 64K --length 4K | xxd
          quire cat report.pdf.gz --revision 3 > report-of-monday.pdf

        exit status: 0 all written, 1 STORE cannot be read, is not a store or has no such revision,
          2 wrong usage, 3 a block or the index is damaged

        """

    private let file: String
    private let offset: UInt64
    private let length: UInt64
    /// Nil for the present one.
    private let revision: UInt64?

    init(_ arguments: Arguments) throws {
        file = try arguments.store()
        offset = try arguments.number(.offset, in: 0 ... .max) ?? 0
        length = try arguments.number(.length, in: 0 ... .max) ?? .max
        revision = try arguments.value(.revision).map(Arguments.revision)
    }

    func run() throws -> ExitStatus { try forEach([file], cat) }

    private func cat(_ file: String) throws -> ExitStatus {
        let store = try StoreFile(file)
        let output = try Destination(name: "-", isForced: false)
            .makeSink(from: store.status, isCompressed: false)
        try store.tellCondition()
        var reader = try DocumentReader(
            store, revision: revision, offset: offset, length: length)
        let meter = ProgressMeter("reading", file, total: reader.remainingByteCount)
        defer { meter.clear() }
        try Transfer(meter: meter).run(to: output) { try reader.next() }
        try output.close()
        return .ok
    }
}
