import Foundation
import QuireTesting
import Synchronization
import Testing

@testable import Quire

/// Saves whose every change of the disk was logged, and the power cut at every point of the log.
@Suite(
    "Power cuts",
    .enabled(if: Interposer.isPossible, "needs Linux"))
struct PowerCutTests {
    @Test func case55APowerCutLeavesTheLastAcknowledgedSaveOrTheNext() throws {
        var tally = CampaignTally()
        let seeds = CampaignTally.isLong ? 0..<32 : 0..<4 as Range<UInt64>
        for seed in seeds {
            let script = SaveScript(seed: seed, sizeLimit: seed % 4 == 3 ? 2_500_000 : 9000)
            try replay(.store, script, count: 11, into: &tally)
        }
        tally.report("a power cut at every point of saves to a store")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["old", default: 0] > 1000 && tally.counts["new", default: 0] > 100)
    }

    /// A sync that fails leaves it open what is on the disk: the next save must not build on it.
    @Test func case55And57APowerCutAfterAFailedSaveLeavesNothingOfIt() throws {
        var tally = CampaignTally()
        for seed in CampaignTally.isLong ? 0..<6 : 0..<1 as Range<UInt64> {
            let script = SaveScript(seed: seed + 100, sizeLimit: 9000)
            let calls = try callsOfScript(script, count: 4)
            let failing = calls.enumerated().filter {
                [.write, .sync, .syncFolder, .truncate, .rename].contains($0.element)
            }
            for (number, _) in failing {
                let spoil = FileFault(.error(.EIO), at: number)
                try replay(.store, script, count: 4, spoil: spoil, into: &tally)
            }
        }
        tally.report("a power cut at every point after a failed call")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["old", default: 0] > 1000 && tally.counts["new", default: 0] > 100)
    }

    /// What a killed process has not synced is as unsafe as before when the next one builds on it.
    @Test func case54And55APowerCutAfterAKillLeavesWhatTheNextProcessAcknowledged() throws {
        var tally = CampaignTally()
        for seed in CampaignTally.isLong ? 0..<3 : 0..<1 as Range<UInt64> {
            let script = SaveScript(seed: seed + 300, sizeLimit: 9000)
            let calls = try callsOfScript(script, count: 4)
            for (number, call) in calls.enumerated() {
                // In the short campaign after the calls alone that change something.
                let changes: [FileCall] = [.create, .write, .truncate, .sync, .rename, .unlink]
                guard CampaignTally.isLong || changes.contains(call) else { continue }
                for effect in call == .write
                    ? [.killHalfway, .killAfter] : [.killAfter] as [FileFault.Effect]
                {
                    let spoil = FileFault(effect, at: number)
                    try replay(.store, script, count: 4, spoil: spoil, into: &tally)
                }
            }
        }
        tally.report("a power cut at every point after a kill")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["old", default: 0] > 1000 && tally.counts["new", default: 0] > 100)
    }

    @Test func case55APowerCutLeavesAPlainFileWholeOrWithAPartOfAnAppend() throws {
        var tally = CampaignTally()
        for seed in CampaignTally.isLong ? 0..<8 : 0..<2 as Range<UInt64> {
            let script = SaveScript(seed: seed + 200, sizeLimit: 9000)
            try replay(.plain, script, count: 11, into: &tally)
        }
        tally.report("a power cut at every point of saves to a plain file")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["old", default: 0] > 100 && tally.counts["new", default: 0] > 100)
    }

    /// The number of images at one point from which on they are chosen at random, and their bytes.
    private static let limit = CampaignTally.isLong ? 2000 : 600
    private static let byteLimit = CampaignTally.isLong ? 500_000_000 : 100_000_000

    /// Runs the script in another process and cuts the power at every point of what it did.
    private func replay(
        _ form: SaveCase.Form, _ script: SaveScript, count: Int, spoil: FileFault? = nil,
        into tally: inout CampaignTally
    ) throws {
        let folder = try TemporaryFolder()
        let (documents, log) = (folder.file("documents"), folder.file("log"))
        let url = try prepare(form, in: documents)
        var disk = try SimulatedDisk(documents)
        let helper = try Helper(
            arguments(form, url, script, 0..<count),
            environment: Interposer.environment(documents, fault: spoil, events: log))
        let status = try helper.end().status
        guard status == 0 || spoil?.kills == true && status == nil else {
            throw Wrong(
                "\(script) with \(String(describing: spoil)) ended with \(String(describing: status))"
            )
        }
        var expected = ExpectedDocument(form: form, script: script)
        var seed = UInt64.random(in: 0 ... .max)
        func play(_ log: Data) throws {
            for (number, event) in try FileEvent.events(in: log).enumerated() {
                if case .change = event {
                } else {
                    // What is missing in later images is what was not yet written in these.
                    let place = "\(spoil?.description ?? "no fault"), event \(number)"
                    try cut(disk, url, expected, seed, place, into: &tally)
                }
                try disk.apply(event)
                if case .print(let line) = event {
                    try expected.hear(line)
                    seed &+= 1
                }
            }
            try cut(disk, url, expected, seed, "the end", into: &tally)
        }
        try play(Data(contentsOf: log))
        if status == nil {
            try expected.crash(leaving: Data(contentsOf: url))
            let (first, log) = (expected.number, folder.file("log of the next"))
            let next = try Helper(
                arguments(form, url, script, first..<first + 2),
                environment: Interposer.environment(documents, events: log))
            guard try next.end().status == 0 else {
                throw Wrong("\(expected): no save after a kill")
            }
            try play(Data(contentsOf: log))
        }
        if try expected.state(of: Data(contentsOf: url)) == "neither" {
            tally.fail("\(expected), \(String(describing: spoil)): the file is of no save")
        }
    }

    /// Looks at each image that a power cut may leave.
    private func cut(
        _ disk: SimulatedDisk, _ url: URL, _ expected: ExpectedDocument, _ seed: UInt64,
        _ place: String,
        into tally: inout CampaignTally
    ) throws {
        var random = TestBytes(seed: seed)
        var count = 0
        let limit = max(50, min(Self.limit, Self.byteLimit / disk.byteCount))
        try disk.images(of: url.lastPathComponent, limit: limit, random: &random) {
            count += 1
            var state: String
            do {
                state = try expected.state(of: $0)
                if count % 400 == 1, expected.form == .store, let stored = $0 {
                    try appendTo(stored)
                }
            } catch { state = "\(error)" }
            if ["old", "new", "partial"].contains(state) {
                tally.count(state)
            } else {
                tally.fail("\(expected), \(place), seed \(seed), \($1): \(state)")
            }
        }
    }

    /// An append to what a power cut left is all there, and for gunzip.
    private func appendTo(_ stored: Data) throws {
        let upstream = DataContainerProvider(data: stored)
        let provider = try CompressedDataProvider(upstream)
        let expected = try provider.data() + Data("more".utf8)
        try provider.save(.append, Data("more".utf8))
        guard try open(upstream.data()).data() == expected, try gunzip(upstream.data()) == expected
        else { throw Wrong("the next append is not all there") }
    }

    private func prepare(_ form: SaveCase.Form, in documents: URL) throws -> URL {
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        let url = documents.appending(path: "document")
        try (form == .plain ? Data() : store(Data())).write(to: url)
        return url
    }

    private func arguments(
        _ form: SaveCase.Form, _ url: URL, _ script: SaveScript, _ numbers: Range<Int>
    ) -> [String] {
        ["script", form.rawValue, url.path]
            + [
                "\(script.seed)", "\(script.sizeLimit)", "\(numbers.lowerBound)",
                "\(numbers.count)",
            ]
    }

    /// The names of the calls that the script makes on its files.
    private func callsOfScript(_ script: SaveScript, count: Int) throws -> [FileCall] {
        let folder = try TemporaryFolder()
        let (documents, calls) = (folder.file("documents"), folder.file("calls"))
        let url = try prepare(.store, in: documents)
        let helper = try Helper(
            arguments(.store, url, script, 0..<count),
            environment: Interposer.environment(documents, calls: calls))
        guard try helper.end().status == 0 else { throw Wrong("the script failed") }
        return try FileFaultInjector.calls(in: calls)
    }
}
