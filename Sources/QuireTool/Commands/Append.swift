import Foundation
import Quire

/// Continues a document with more bytes: an incremental save.
struct Append: Command {
    static let name = "append"
    static let summary = "continue a document with more bytes, as an incremental save does"
    static let options: Set<Option> = [.level]
    static let help = """
        usage: quire append [OPTIONS] STORE FILE

        Continues the document in STORE with the bytes of FILE, as one new revision. The blocks that
        are there stay untouched: an append costs what it adds. The revision exists once its last
        bytes are on disk; an error or a signal before that leaves the STORE as it was, and what a
        crash leaves is ignored by readers and removed by the next append.

        A STORE that another process saves at the same time is left to that process: the append
        fails and can be repeated.

        options:
              --level N    how hard to try, 1 (fast) ... \(Arguments.levels.upperBound) (small); default 6
          -h, --help       this text

        FILE may be - for standard input. The block size is that of the STORE.

        examples:
          quire append report.pdf.gz changes.bin
          tail -c +1048577 edited.pdf | quire append report.pdf.gz -

        exit status: 0 saved, 1 FILE cannot be read, or STORE is not a store, cannot be written or was
          saved meanwhile, 2 wrong usage, 3 STORE is damaged; 130 or 143 stopped by a signal

        """

    private let file: String
    private let source: String
    private var configuration = CompressedDataProvider.Configuration()

    init(_ arguments: Arguments) throws {
        guard arguments.operands.count == 2 else {
            throw UsageError(
                "STORE and FILE are needed, \(arguments.operands.count) names were given")
        }
        file = arguments.operands[0]
        source = arguments.operands[1]
        try Arguments.checkStore(file)
        if let level = try arguments.level { configuration.level = level }
    }

    func run() throws -> ExitStatus { try forEach([file], append) }

    private func append(to file: String) throws -> ExitStatus {
        let input = try ByteStream(reading: source)
        let store = try StoreFile(file, configuration: configuration)
        guard !input.status.isSameFile(as: store.status) else {
            throw ToolError(line: "\(source): a store cannot be appended to itself")
        }
        try store.tellCondition()
        Interruption.watch()
        let sink = try store.provider.createDataSink(options: .append)
        let meter = ProgressMeter("appending", source, total: input.size)
        defer { meter.clear() }
        try Transfer(meter: meter).run(to: sink) { try input.read(upTo: Transfer.pieceSize) }
        try sink.close()
        try store.provider.replaceContents(with: sink)
        return .ok
    }
}
