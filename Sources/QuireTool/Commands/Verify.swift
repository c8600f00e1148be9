import Foundation
import Quire

/// Checks stores to the last byte.
struct Verify: Command {
    static let name = "verify"
    static let summary = "check every byte of stores, and name what is damaged"
    static let options: Set<Option> = [.json]
    static let help = """
        usage: quire verify [OPTIONS] STORE...

        Reads each STORE in full: every block, index and footer of every revision. Tells on standard
        output whether it is sound, or each damage with the block, the bytes of the document that it
        covers, and where in the STORE it lies; if blocks are damaged, also the latest revision that
        is whole. Of a STORE that cannot be opened, the blocks that are left are looked for. A torn
        append counts as damage, though the document can be read; if it is whole but for its last
        bytes, quire repair restores it, and that is told.

        options:
              --json      for machines, on standard output: a list with an entry for each STORE
          -h, --help      this text

        examples:
          quire verify report.pdf.gz
          quire verify archive/*.pdf.gz || echo 'restore from the backup'
          quire verify --json *.gz | jq -r '.[] | select(.isSound | not).file'

        exit status: 0 all sound, 1 a STORE cannot be read or is not a store (others are still
          checked), 2 wrong usage, 3 a STORE is damaged

        """

    private let files: [String]
    private let isJSON: Bool

    init(_ arguments: Arguments) throws {
        files = try arguments.files("STORE to verify")
        isJSON = arguments.has(.json)
        for file in files { try Arguments.checkStore(file) }
    }

    func run() throws -> ExitStatus {
        var reports: [VerifyReport] = []
        let status = try forEach(files) { file in
            var report = VerifyReport(file: file)
            defer { reports.append(report) }
            do { try verify(file, &report) } catch {
                report.error = ToolError(error, in: file).line
                throw error
            }
            if !isJSON { try Console.report(report.text) }
            return report.isSound ? .ok : .damaged
        }
        if isJSON { try Console.report(JSON.array(reports.map(\.json)).text) }
        return status
    }

    private func verify(_ file: String, _ report: inout VerifyReport) throws {
        do {
            let provider = try StoreFile(file).provider
            let info = try provider.info()
            report.info = info
            let meter = ProgressMeter("verifying", file, total: info.documentSize)
            defer { meter.clear() }
            let errors = try provider.verify { meter.set(to: $0) }
            let blocks = errors.isEmpty ? [] : try provider.blocks()
            report.damages = errors.map { Damage($0, blocks: blocks) }
            if let whole = report.damages.compactMap(\.offset).first {
                report.wholeRevision = try provider.reachableHistory().revisions
                    .first { $0.documentSize <= whole }?.revision
            }
            if info.tornByteCount > 0 {
                // What follows may be a whole save whose footer is damaged.
                let bytes = FileDataProvider(fileURL: FileStatus.url(of: file))
                let present = try StoreRepair(of: bytes).present
                report.restorableRevision =
                    present.revision > info.revision ? present.revision : nil
            }
        } catch let error as QuireError where error.isDamage {
            // Blocks that are whole can be found without an index; the others are named.
            let bytes = FileDataProvider(fileURL: FileStatus.url(of: file))
            report.damages = [Damage(error)] + (try Salvage(scanning: bytes).holes.map(Damage.init))
        }
    }
}
