import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

/// Every save stopped, and every save failing, at each of its calls on files.
@Suite(
    "Crash matrix",
    .enabled(if: Interposer.isPossible, "needs Linux"))
struct CrashMatrixTests {
    private struct Job: CustomStringConvertible {
        let save: SaveCase
        let call: FileCall
        let spoil: FileFault
        var description: String { "\(save), \(spoil) (\(call))" }
    }

    @Test func case54AKillAtEveryCallLeavesTheOldOrTheNewDocument() throws {
        let tally = try run(saves: SaveCase.all) { number, call in
            var spoils = [
                FileFault(.killBefore, at: number), FileFault(.killAfter, at: number),
            ]
            if call == .write { spoils.append(FileFault(.killHalfway, at: number)) }
            return spoils
        }
        tally.report("a kill before, in and after every call of every save")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["old", default: 0] > 100 && tally.counts["new", default: 0] > 20)
    }

    @Test func case57AnErrorOfEveryCallIsThrownByItsNameAndChangesNothing() throws {
        let errors: [POSIXErrorCode] = [.EIO, .ENOSPC, .EDQUOT, .EACCES]
        let tally = try run(saves: SaveCase.all) { number, call in
            // In the short campaign each call fails in one way, and all ways have their turn.
            let some = CampaignTally.isLong ? errors : [errors[number % errors.count]]
            var spoils = some.map { FileFault(.error($0), at: number) }
            spoils.append(FileFault(.error(.EIO), at: number, isLasting: true))
            return spoils
        }
        tally.report("an error of every call of every save")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["refused", default: 0] > 100)
    }

    @Test func case57InterruptedAndShortCallsAreMadeAgain() throws {
        let tally = try run(saves: SaveCase.all) { number, call in
            let short = [.read, .write].contains(call)
            return (short ? [FileFault(.short, at: number)] : [])
                + [FileFault(.error(.EINTR), at: number)]
        }
        tally.report("every call of every save interrupted or short")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(Set(tally.counts.keys) == ["new"])
    }

    @Test func aCallIsCountedByItsKindAndWaits() throws {
        let folder = try TemporaryFolder()
        let save = try #require(SaveCase.all.first { $0.description == "replace" })
        let calls = folder.file("calls")
        let documents = folder.file("documents")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        let arguments = try save.prepare(in: documents)
        func run(_ fault: FileFault) throws -> (lines: [String], status: Int32?) {
            try Helper(
                arguments,
                environment: Interposer.environment(documents, fault: fault, calls: calls)
            ).end()
        }
        let refused = try run(FileFault(.error(.ENOSPC), at: 1, of: .write, .truncate))
        #expect(refused.status == 3)
        #expect(refused.lines.last?.contains(" \(POSIXErrorCode.ENOSPC.rawValue) ") == true)
        let made = try FileFaultInjector.calls(in: calls)
        #expect(made.filter { $0 == .write }.count == 2 && !made.contains(.rename))
        let start = ContinuousClock.now
        let slow = try run(FileFault(.delay(seconds: 0.2), at: 0, of: .rename))
        #expect(slow.status == 0 && ContinuousClock.now - start >= .milliseconds(200))
        try Data("open\nelse\n".utf8).write(to: calls)
        #expect(code { _ = try FileFaultInjector.calls(in: calls) } == .invalidArgument)
    }

    /// Makes each save once for each way in which each of its calls is spoilt.
    private func run(
        saves: [SaveCase], _ spoils: (_ number: Int, _ call: FileCall) -> [FileFault]
    ) throws -> CampaignTally {
        var jobs: [Job] = []
        for save in saves {
            for (number, call) in try save.calls().enumerated() {
                jobs += spoils(number, call).map { Job(save: save, call: call, spoil: $0) }
            }
        }
        let (all, stores) = (jobs, try TemporaryFolder())
        let tally = Mutex(CampaignTally())
        DispatchQueue.concurrentPerform(iterations: all.count) { index in
            do {
                let outcome = try outcome(of: all[index], keeping: stores.file("\(index).gz"))
                tally.withLock { $0.count(outcome) }
            } catch { tally.withLock { $0.fail("\(all[index]): \(error)") } }
        }
        var result = tally.withLock { $0 }
        let checked = try QuireTests.run(
            ["gzip", "-tq"] + stores.names.map { stores.file($0).path })
        if checked.status != 0 { result.fail("gunzip complains: \(checked.errors)") }
        return result
    }

    /// Makes one save, looks at what is left, and makes the next.
    ///
    /// - Parameter stored: where the store is left for gunzip.
    private func outcome(of job: Job, keeping stored: URL) throws -> String {
        let folder = try TemporaryFolder()
        let (save, spoil) = (job.save, job.spoil)
        let helper = try Helper(
            save.prepare(in: folder.url),
            environment: Interposer.environment(folder.url, fault: spoil))
        let (lines, status) = try helper.end()
        let (document, state) = save.state(
            in: folder.url, mayBePartial: spoil.kills || spoil.isLasting)
        let words = (lines.last ?? "").split(separator: " ").map(String.init)
        var outcome = state
        switch status {
        case nil where spoil.kills: break
        case 0 where state == "new": break
        case 3 where words.dropFirst().first == "notDurable": outcome = "not durable"
        case 3:
            guard case .error(let error) = spoil.effect else { throw Wrong("an error: \(lines)") }
            let isNamed = words.dropFirst(2).first == "\(error.rawValue)"
            guard isNamed else { throw Wrong("the error is not named: \(lines)") }
            outcome = "refused"
        default: throw Wrong("ended with \(status ?? -1), the document is \(state): \(lines)")
        }
        let allowed = ["refused": ["old", "partial"], "not durable": ["new"]]
        guard (allowed[outcome] ?? ["old", "new", "partial"]).contains(state) else {
            throw Wrong("\(outcome), and the document is \(state): \(lines)")
        }
        if let fault = save.faultAfterNextSave(in: folder.url, of: document) { throw Wrong(fault) }
        if save.form != .plain, document != nil {
            try FileManager.default.moveItem(at: save.url(in: folder.url), to: stored)
        }
        return outcome
    }
}
