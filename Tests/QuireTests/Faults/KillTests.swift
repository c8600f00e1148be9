import Foundation
import QuireTesting
import Testing

@testable import Quire

/// A process that saves in a loop, killed at random.
@Suite("Kills") struct KillTests {
    @Test func case54KilledAtAnyMomentTheLastAcknowledgedSaveOrTheNextIsThere() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("document.gz")
        try store(Data()).write(to: url)
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var random = TestBytes(seed: seed)
        let script = SaveScript(seed: seed, sizeLimit: 2_500_000)
        var tally = CampaignTally()
        var saved = -1
        for number in 0..<(CampaignTally.isLong ? 500 : 30) {
            let helper = try Helper([
                "script", "store", url.path, "\(seed)", "\(script.sizeLimit)", "\(saved + 1)", "0",
            ])
            Thread.sleep(forTimeInterval: Double.random(in: 0.005...0.15, using: &random))
            helper.kill()
            let (lines, status) = try helper.end()
            guard status == nil else { throw Wrong("the script ended by itself: \(lines)") }
            if let last = lines.last { saved = Int(last.dropFirst("saved ".count)) ?? saved }
            do {
                let document = try CompressedDataProvider(url: url).data()
                let isNew = document == script.document(afterSave: saved + 1)
                guard isNew || document == script.document(afterSave: saved) else {
                    throw Wrong("\(document.count) bytes of no save")
                }
                try checkNextSave(folder, of: document)
                tally.count(isNew ? "new" : "old")
                if isNew { saved += 1 }
            } catch {
                tally.fail("seed \(seed), kill \(number) after save \(saved): \(error)")
                break
            }
        }
        tally.report("kill -9 at a random moment of a process that saves")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(saved > tally.caseCount)
    }

    /// Appends in a copy of the folder: all is there, for gunzip too, and nothing is left of the killed writer.
    private func checkNextSave(_ folder: TemporaryFolder, of document: Data) throws {
        let copy = try TemporaryFolder()
        for name in folder.names {
            try FileManager.default.copyItem(at: folder.file(name), to: copy.file(name))
        }
        let url = copy.file("document.gz")
        try CompressedDataProvider(url: url).save(.append, Data("more".utf8))
        guard try gunzip(Data(contentsOf: url)) == document + Data("more".utf8) else {
            throw Wrong("the next append is not all there")
        }
        guard copy.names == ["document.gz"] else { throw Wrong("left: \(copy.names)") }
    }
}
