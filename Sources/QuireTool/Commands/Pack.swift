import Foundation
import Quire

/// Compresses files into stores.
struct Pack: Command {
    static let name = "pack"
    static let summary = "compress files into stores (report.pdf -> report.pdf.gz)"
    static let options: Set<Option> = [.blockSize, .favor, .force, .level, .output]
    static let help = """
        usage: quire pack [OPTIONS] FILE...

        Writes each FILE as a new store, beside it and with .gz added to its name. The FILE stays. A
        store appears whole or not at all: an error, a signal or a full disk leaves nothing behind.
        It takes about 40 MiB of memory, and 80 bytes more for each block.

        Parts that hardly shrink (images, mostly) are stored as they are, so that reading them is
        quick; how much a part must shrink is what --favor says. Small blocks make for quick reads of a
        few bytes, large ones for small stores. Packing over a store with --force makes a
        new one, with a uuid of its own.

        options:
              --level N        how hard to try, 1 (fast) ... \(Arguments.levels.upperBound) (small); default 6
              --favor WHAT     size, balanced or speed; default balanced
              --block-size N   bytes of a block, 512...1048576, K and M understood; default 64K,
                               with --favor size 512K
          -o, --output FILE    write to FILE, - for standard output; with one FILE only
          -f, --force          replace a file that is there
          -h, --help           this text

        FILE may be - for standard input, if -o says where to write.

        examples:
          quire pack report.pdf
          quire pack --level 9 --favor size scans/*.pdf
          make-report | quire pack - -o report.pdf.gz
          quire pack report.pdf -o - | ssh host 'cat > report.pdf.gz'

        exit status: 0 all packed, 1 a FILE could not be read or its store not be written,
          2 wrong usage; 130 or 143 stopped by a signal

        """

    private let sources: [String]
    private let output: String?
    private let isForced: Bool
    private var configuration = CompressedDataProvider.Configuration()

    init(_ arguments: Arguments) throws {
        sources = try arguments.files("FILE to pack")
        output = arguments.value(.output)
        isForced = arguments.has(.force)
        if let word = arguments.value(.favor) {
            guard let favor = Favor(rawValue: word) else {
                throw UsageError("--favor is \(word), allowed are size, balanced and speed")
            }
            configuration = .init(favor: favor)
        }
        if let level = try arguments.level { configuration.level = level }
        if let size = try arguments.number(.blockSize, in: 512...1_048_576) {
            configuration.blockSize = Int(size)
        }
        guard output == nil || sources.count == 1 else {
            throw UsageError("-o goes with one FILE, not with \(sources.count)")
        }
        guard output != nil || !sources.contains("-") else {
            throw UsageError("standard input has no name to add .gz to; give -o FILE")
        }
    }

    func run() throws -> ExitStatus { try forEach(sources, pack) }

    private func pack(_ source: String) throws -> ExitStatus {
        let input = try ByteStream(reading: source)
        let destination = Destination(name: output ?? source + ".gz", isForced: isForced)
        let sink = try CompressedDataSink(
            destination.makeSink(from: input.status, isCompressed: true),
            configuration: configuration)
        let meter = ProgressMeter("packing", source, total: input.size)
        defer { meter.clear() }
        try Transfer(meter: meter).run(to: sink) { try input.read(upTo: Transfer.pieceSize) }
        try sink.close()
        return .ok
    }
}
