import Foundation
import Quire

/// Mends what can be mended of a store.
struct Repair: Command {
    static let name = "repair"
    static let summary = "mend a damaged store, and keep a backup"
    static let options: Set<Option> = [.force, .json, .noBackup, .output, .salvage]
    static let help = """
        usage: quire repair [OPTIONS] STORE

        Writes damaged indexes and footers of STORE anew, of all its revisions, and cuts off what
        follows the last whole one: a torn append, or bytes that are not of it. If the last revision
        cannot be restored, the STORE goes back to the one before it, and what is lost is told. The
        STORE changes in one step, and what it was is kept as STORE.bak, which is never overwritten.

        Damaged blocks cannot be mended. They are named, with the bytes of the document that they
        cover. With --salvage the rest is written as a new revision in which zeros fill the holes, so
        that all other bytes keep their offsets; earlier revisions are then not kept. Of a STORE that
        cannot be opened, all blocks that are whole are looked for; where no footer tells how long a
        hole is, its blocks are taken for full ones, and its range is told with the word about.

        options:
              --salvage      write what is whole, with zeros for what is not
          -o, --output FILE  write to FILE instead, and leave the STORE alone
          -f, --force        replace a FILE that is there
              --no-backup    do without STORE.bak
              --json         the report for machines
          -h, --help         this text

        examples:
          quire verify report.pdf.gz || quire repair report.pdf.gz
          quire repair --salvage report.pdf.gz -o rest.pdf.gz
          quire repair --json report.pdf.gz | jq '.holes[] | {offset, length}'

        exit status: 0 the STORE is sound, or was mended and nothing is lost, 1 it cannot be read or
          written, is not a store or was saved meanwhile, or the backup is there, 2 wrong usage,
          3 something is lost, or cannot be mended; 130 or 143 stopped by a signal

        """

    private let file: String
    private let output: String?
    private let isForced: Bool
    private let isSalvage: Bool
    private let isJSON: Bool
    private let hasBackup: Bool

    init(_ arguments: Arguments) throws {
        file = try arguments.store()
        output = arguments.value(.output)
        isForced = arguments.has(.force)
        isSalvage = arguments.has(.salvage)
        isJSON = arguments.has(.json)
        hasBackup = output == nil && !arguments.has(.noBackup)
        guard output != "-" else {
            throw UsageError("the report goes to standard output; give -o FILE")
        }
        guard output != nil || !isForced else { throw UsageError("--force goes with -o only") }
        guard output == nil || !arguments.has(.noBackup) else {
            throw UsageError("--no-backup does not go with -o, which leaves the STORE alone")
        }
    }

    func run() throws -> ExitStatus {
        try forEach([file]) { file in
            var report = RepairReport(file: file)
            do { try repair(file, &report) } catch let interruption as Interruption {
                throw interruption
            } catch {
                report.error = ToolError(error, in: file).line
                if isJSON { try Console.report(report.json.text) }
                throw error
            }
            try Console.report(isJSON ? report.json.text : report.text)
            return report.isAnythingLost ? .damaged : .ok
        }
    }

    private func repair(_ file: String, _ report: inout RepairReport) throws {
        let status = try StoreFile.status(of: file)
        let provider = FileDataProvider(fileURL: FileStatus.url(of: file))
        let bytes = try provider.makeSnapshot()
        let meter = ProgressMeter("examining", file, total: nil)
        defer { meter.clear() }
        let step = { (done: UInt64) in
            try Interruption.check()
            meter.set(to: done)
        }
        let repair = try examine(bytes, &report, step)
        guard let repair, !report.isSalvaged else {
            let salvage =
                try repair.flatMap { $0.losses.isEmpty ? $0.salvage : nil }
                ?? (repair == nil
                    ? Salvage(of: bytes, progress: step)
                    : Salvage(scanning: bytes, progress: step))
            report.holes = salvage.holes
            (report.revision, report.documentSize) = (salvage.revision, salvage.documentSize)
            return try write(provider, status, &report) {
                try salvage.write(to: $0, progress: step)
            }
        }
        report.holes = repair.salvage.holes
        report.wholeRevision = repair.wholeRevision
        (report.revision, report.documentSize) = (
            repair.present.revision, repair.present.documentSize
        )
        guard output != nil || !repair.repairs.isEmpty || !repair.losses.isEmpty else { return }
        try write(provider, status, &report) { try repair.write(to: $0, progress: step) }
    }

    /// Finds out what is to be done.
    ///
    /// - Returns: nil if only a salvage is possible.
    private func examine(
        _ bytes: any DataProviding & Sendable, _ report: inout RepairReport,
        _ progress: (UInt64) throws -> Void
    ) throws -> StoreRepair? {
        do {
            let repair = try StoreRepair(of: bytes, progress: progress)
            (report.repairs, report.losses) = (repair.repairs, repair.losses)
            report.isSalvaged =
                isSalvage && !(repair.salvage.holes.isEmpty && repair.losses.isEmpty)
            return repair
        } catch let error as QuireError where error.isDamage || error.code == .notAStore {
            guard isSalvage else {
                guard error.isDamage else { throw error }
                let line = ToolError(error, in: file).line
                throw ToolError(
                    line: line + "; --salvage writes the blocks that are whole", status: .damaged)
            }
            report.losses = [error]
            report.isSalvaged = true
            return nil
        }
    }

    private func write(
        _ provider: FileDataProvider, _ status: FileStatus, _ report: inout RepairReport,
        _ fill: (any DataSink) throws -> Void
    ) throws {
        Interruption.watch()
        if let output {
            let destination = Destination(name: output, isForced: isForced)
            try fill(destination.makeSink(from: status, isCompressed: true))
            report.output = output
            return
        }
        let backup = hasBackup ? try Backup(of: file) : nil
        let sink = try provider.createDataSink(options: [])
        try fill(sink)
        try backup?.make()
        do { try provider.replaceContents(with: sink) } catch {
            // Not durable is in place all the same.
            if (error as? QuireError)?.code != .notDurable { backup?.remove() }
            throw error
        }
        report.output = file
        report.backup = backup?.name
    }
}
