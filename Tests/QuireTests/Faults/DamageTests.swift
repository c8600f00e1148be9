import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Stores damaged in every way: what is read, repaired and salvaged of them is right, or is an error that names the damage.
///
/// The helper does it (`Tests/Helper/Damage`), so that a trap, a hang and memory that grows have a process to themselves.
@Suite("Damage", .serialized) struct DamageTests {
    struct Campaign: Sendable, CustomTestStringConvertible {
        let kind: String
        let words: String
        /// Of so many cases `make test` runs one.
        let step: Int
        var testDescription: String { kind }
    }

    static let campaigns = [
        Campaign(kind: "flips", words: "every byte flipped in four ways", step: 100),
        Campaign(kind: "cuts", words: "cut to every length", step: 15),
        Campaign(
            kind: "ranges",
            words: "ranges deleted, zeroed, duplicated, written elsewhere, swapped", step: 30),
        Campaign(
            kind: "splices", words: "the tails of two stores spliced at every byte", step: 30),
    ]

    @Test(arguments: campaigns)
    func whatIsReadOfADamagedStoreIsRightOrAnErrorThatNamesIt(campaign: Campaign) throws {
        let folder = try TemporaryFolder()
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        let said = folder.file("said")
        let step = CampaignTally.isLong ? 1 : campaign.step
        let helper = try Helper(["damage", campaign.kind, "\(step)", "\(seed)"], output: said)
        var tally = CampaignTally()
        if !(try Self.keepsTalking(helper, said)) {
            helper.kill()
            tally.fail("it hangs")
        }
        let (lines, status) = try helper.end()
        var notes: [String] = []
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words.first {
            case "count": tally.count(words[2], times: Int(words[1]) ?? 0)
            case "slowest": notes.append("the slowest took \(words[1]) ms")
            case "memory":
                let growth = try #require(Int(words[1]))
                notes.append("all together \(growth >> 20) MiB")
                #expect(growth <= 64 << 20)
            case "wrong": tally.note("seed \(seed): \(line)")
            default: break
            }
        }
        if status != 0 {
            let last = lines.filter { $0.hasPrefix("begin") }.suffix(4)
            tally.fail("seed \(seed): ended with \(status ?? -1) in one of \(last)")
        }
        tally.report("\(campaign.words) (\(notes.joined(separator: ", ")))")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.caseCount > 500 && tally.counts["read as it was", default: 0] > 30)
    }

    /// Waits for the end of the helper, as long as it says something each half a minute.
    private static func keepsTalking(_ helper: Helper, _ said: URL) throws -> Bool {
        var (size, since) = (0, ContinuousClock.now)
        while helper.process.isRunning {
            Thread.sleep(forTimeInterval: 0.02)
            let attributes = try FileManager.default.attributesOfItem(atPath: said.path)
            let present = (attributes[.size] as? NSNumber)?.intValue ?? 0
            if present != size { (size, since) = (present, .now) }
            if ContinuousClock.now - since > .seconds(30) { return false }
        }
        return true
    }
}
