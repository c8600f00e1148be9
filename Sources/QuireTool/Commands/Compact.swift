import Foundation
import Quire

/// Rebuilds a store of many small appends into full blocks.
struct Compact: Command {
    static let name = "compact"
    static let summary = "rebuild a store of many small saves into full blocks"
    static let options: Set<Option> = [.level]
    static let help = """
        usage: quire compact [OPTIONS] STORE

        Writes STORE anew, so that the small blocks of its saves become full ones, and tells what that
        saved. The document stays the same, byte for byte; the earlier revisions are gone. quire info
        tells when it pays. A store that would not shrink is left alone.

        Full blocks at the front are taken over as they are. The STORE changes in one step: an error,
        a signal or a crash leaves it as it was.

        options:
              --level N    how hard to try, 1 (fast) ... \(Arguments.levels.upperBound) (small); default 6
          -h, --help       this text

        examples:
          quire info report.pdf.gz
          quire compact --level 9 report.pdf.gz

        exit status: 0 compacted, or there was nothing to gain, 1 STORE cannot be read or written, is
          not a store or was saved meanwhile, 2 wrong usage, 3 a block or the index is damaged;
          130 or 143 stopped by a signal

        """

    private let file: String
    private var configuration = CompressedDataProvider.Configuration()

    init(_ arguments: Arguments) throws {
        file = try arguments.store()
        if let level = try arguments.level { configuration.level = level }
    }

    func run() throws -> ExitStatus { try forEach([file], compact) }

    private func compact(_ file: String) throws -> ExitStatus {
        let store = try StoreFile(file, configuration: configuration)
        try store.tellCondition()
        Interruption.watch()
        let before = try store.provider.info()
        let meter = ProgressMeter("compacting", file, total: before.documentSize)
        defer { meter.clear() }
        let result = try store.provider.compact {
            try Interruption.check()
            meter.set(to: $0)
        }
        meter.clear()
        guard result.sparedByteCount > 0 else {
            try Console.report("\(file): nothing to gain, the store is left as it is\n")
            return .ok
        }
        let blocks =
            "\(Amount.grouped(UInt64(result.blockCountBefore))) -> \(Amount.count(result.blockCount, "block"))"
        let bytes =
            "\(Amount.grouped(result.storedSizeBefore)) -> \(Amount.grouped(result.storedSize)) bytes"
        let share = Amount.percent(result.sparedByteCount, of: result.storedSizeBefore)
        try Console.report(
            "\(file): \(blocks), \(bytes); saved \(Amount.exact(result.sparedByteCount)), \(share)\n"
        )
        return .ok
    }
}
