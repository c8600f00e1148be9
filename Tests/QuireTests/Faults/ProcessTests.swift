import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Several processes on one store.
@Suite("Processes") struct ProcessTests {
    private let folder: TemporaryFolder
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = try folder.file("document.gz", store(Data("base\n".utf8)))
    }

    @Test(arguments: [0, 5])
    func processesThatSaveAtOnceLoseNothing(replaceEvery: Int) throws {
        let count = CampaignTally.isLong ? 300 : 25
        let names = ["one", "two", "three"]
        let helpers = try names.map {
            try Helper(["records", url.path, $0, "\(count)", "\(replaceEvery)"])
        }
        var conflictCount = 0
        for (name, helper) in zip(names, helpers) {
            let (lines, status) = try helper.end()
            #expect(status == 0, "\(name)")
            #expect(lines.dropLast() == (0..<count).map { "saved \($0)" }[...], "\(name)")
            conflictCount += Int(lines.last?.split(separator: " ").last ?? "") ?? 0
        }
        try expectRecords(of: names, count: count)
        print(
            "crash: \(names.count * count) cases, saves of \(names.count) processes at once, replacing"
                + " every \(replaceEvery == 0 ? "none" : "\(replaceEvery)th"): 0 lost,"
                + " \(conflictCount) conflicts")
    }

    @Test func processesThatAppendInTurnSeeEachOthersSavesAsConflicts() throws {
        let (names, count) = (["one", "two"], 10)
        let helpers = try names.map {
            try Helper(["records", url.path, $0, "\(count)", "0", "paced"])
        }
        for number in 0..<count {
            for helper in helpers {
                try helper.tell("go")
                #expect(try helper.line() == "saved \(number)")
            }
        }
        for helper in helpers {
            // Each save but the first finds the file as the other has left it.
            let words = try helper.end().lines
            #expect([["conflicts 9"], ["conflicts 10"]].contains(words))
        }
        let order = (0..<count).flatMap { number in names.map { "\($0):\(number)" } }
        #expect(try lines() == ["base"] + order)
        #expect(try CompressedDataProvider(url: url).history().count == 1 + 2 * count)
    }

    @Test func aProcessReadsTheFileThatItOpenedWhateverIsSaved() throws {
        let reader = try Helper(["hold", url.path])
        #expect(try reader.line() == "open")
        let provider = try CompressedDataProvider(url: url)
        let old = try provider.data()
        for (number, options) in ([.append, [], .append, []] as [DataSinkOptions]).enumerated() {
            try provider.save(options, TestBytes.mixed(50_000, seed: UInt64(number)))
            #expect(try document(of: reader) == old)
        }
        try reader.tell("anew")
        #expect(try reader.line() == "done")
        #expect(try document(of: reader) == provider.data())
        #expect(try reader.end().status == 0)
    }

    @Test func case28AStoreOpenedDuringAppendsIsOfOneRevision() throws {
        let count = CampaignTally.isLong ? 10_000 : 300
        let said = try TemporaryFolder()
        let writer = try Helper(
            ["records", url.path, "writer", "\(count)", "0"], output: said.file("lines"))
        var (opened, last, lineCount) = (0, 0, 0)
        while lineCount < 1 + count {
            let found = try lines()
            lineCount = found.count
            #expect(found == ["base"] + (0..<lineCount - 1).map { "writer:\($0)" })
            #expect(lineCount >= last)
            if lineCount == last, !writer.process.isRunning { break }
            (opened, last) = (opened + 1, lineCount)
        }
        #expect(try writer.end().status == 0)
        #expect(try lines().count == 1 + count)
        #expect(opened > count / 20)
        print("crash: \(opened) cases, a store opened during \(count) appends: 0 of no revision")
    }

    /// A process that was forked during a save has all its descriptors; that of the lock must not keep the next one waiting.
    @Test(.enabled(if: Interposer.isPossible, "needs Linux"))
    func aProcessForkedDuringASaveHoldsNoLock() throws {
        let save = try #require(SaveCase.all.first { $0.description == "append" })
        let call = try #require(try save.calls().firstIndex(of: .sync))
        let documents = folder.file("documents")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        let start = ContinuousClock.now
        let helper = try Helper(
            save.prepare(in: documents),
            environment: Interposer.environment(
                documents, fault: FileFault(.fork, at: call)))
        // The copy has the pipe of the output, too.
        #expect(try helper.line()?.hasPrefix("failed fileSystem 5") == true)
        try CompressedDataProvider(url: save.url(in: documents)).save(.append, Data("x".utf8))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    private func lines() throws -> [String] {
        let data = try CompressedDataProvider(url: url).data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Every record is there once, and those of one process are in their order.
    private func expectRecords(of names: [String], count: Int) throws {
        let found = try lines()
        #expect(found.count == 1 + names.count * count && found.first == "base")
        for name in names {
            #expect(
                found.filter { $0.hasPrefix("\(name):") } == (0..<count).map { "\(name):\($0)" })
        }
        #expect(try CompressedDataProvider(url: url).verify().isEmpty)
        #expect(try gunzip(Data(contentsOf: url)) == CompressedDataProvider(url: url).data())
        #expect(folder.names == ["document.gz"])
    }

    private func document(of reader: Helper) throws -> Data {
        let copy = folder.file("copy")
        try reader.tell(copy.path)
        guard try reader.line() == "done" else { throw Wrong("the reader has ended") }
        defer { try? FileManager.default.removeItem(at: copy) }
        return try Data(contentsOf: copy)
    }
}
