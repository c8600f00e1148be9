import Foundation
import Quire

/// Writes the documents of stores as files of their own.
struct Unpack: Command {
    static let name = "unpack"
    static let summary = "give back the files (report.pdf.gz -> report.pdf)"
    static let options: Set<Option> = [.force, .level, .output, .plain]
    static let help = """
        usage: quire unpack [OPTIONS] STORE...

        Writes the document of each STORE, byte for byte, beside it and without the .gz of its name.
        The STORE stays. A file appears whole or not at all: if a block is damaged, nothing is
        written (quire cat writes what is left).

        With --plain it writes an ordinary .gz file of one member instead, for readers that stop
        after the first: browsers, PHP's gzdecode, Ruby's GzipReader. It is read from front to back
        only; quire pack makes a store of its contents again.

        options:
          -o, --output FILE    write to FILE, - for standard output; with one STORE only
              --plain          write an ordinary .gz file; needs -o
              --level N        with --plain, how hard to try, 1 (fast) ... 9 (small); default 6
          -f, --force          replace a file that is there
          -h, --help           this text

        examples:
          quire unpack report.pdf.gz
          quire unpack report.pdf.gz -o copy.pdf
          quire unpack report.pdf.gz -o - | pdftotext - -
          quire unpack --plain report.pdf.gz -o site/report.pdf.gz

        exit status: 0 all unpacked, 1 a STORE cannot be read or is not a store, or a file cannot be
          written, 2 wrong usage, 3 a STORE is damaged; 130 or 143 stopped by a signal

        """

    private let files: [String]
    private let output: String?
    private let isForced: Bool
    private let isPlain: Bool
    private let level: Int

    init(_ arguments: Arguments) throws {
        files = try arguments.files("STORE to unpack")
        output = arguments.value(.output)
        isForced = arguments.has(.force)
        isPlain = arguments.has(.plain)
        level = Int(try arguments.number(.level, in: 1...9) ?? 6)
        for file in files { try Arguments.checkStore(file) }
        guard output == nil || files.count == 1 else {
            throw UsageError("-o goes with one STORE, not with \(files.count)")
        }
        guard !isPlain || output != nil else { throw UsageError("--plain needs -o FILE") }
        guard isPlain || !arguments.has(.level) else {
            throw UsageError("--level goes with --plain only")
        }
    }

    func run() throws -> ExitStatus { try forEach(files, unpack) }

    private func unpack(_ file: String) throws -> ExitStatus {
        let store = try StoreFile(file)
        let destination = Destination(
            name: try output ?? unpackedName(of: file), isForced: isForced)
        let sink = try destination.makeSink(from: store.status, isCompressed: isPlain)
        try store.tellCondition()
        var reader = try DocumentReader(store)
        let meter = ProgressMeter("unpacking", file, total: reader.remainingByteCount)
        defer { meter.clear() }
        guard !isPlain else {
            try store.provider.exportPlain(to: sink, level: level) {
                try Interruption.check()
                meter.set(to: $0)
            }
            return .ok
        }
        try Transfer(meter: meter).run(to: sink) { try reader.next() }
        try sink.close()
        return .ok
    }

    private func unpackedName(of file: String) throws -> String {
        let name = file.dropLast(3)
        guard file.lowercased().hasSuffix(".gz"), !name.isEmpty, !name.hasSuffix("/") else {
            throw ToolError(line: "\(file): the name does not end in .gz; give -o FILE")
        }
        return String(name)
    }
}
