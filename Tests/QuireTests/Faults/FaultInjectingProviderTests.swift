import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("FaultInjectingProvider")
struct FaultInjectingProviderTests {
    static let old = TestBytes.mixed(30_000, seed: 1)
    static let tail = TestBytes.mixed(9000, seed: 2)

    @Test func operationsAreRecordedWithTheirBytes() throws {
        let provider = FaultInjectingProvider(DataContainerProvider(data: Data("old".utf8)))
        #expect(try provider.readData(withSize: 2, atOffset: 1) == Data("ld".utf8))
        try provider.save(.append, Data(" new".utf8))
        #expect(
            provider.operations.map(\.kind) == [.read, .sink, .write, .finish, .commit])
        #expect(provider.operations[0].offset == 1 && provider.operations[0].byteCount == 2)
        #expect(provider.operations[2].bytes == Data(" new".utf8))
        #expect(try provider.data() == Data("old new".utf8))
        provider.fault = nil
        #expect(provider.operations.isEmpty)
    }

    @Test func theNthOperationOfAKindFailsAndNoOther() throws {
        let provider = FaultInjectingProvider(DataContainerProvider(data: Data("old".utf8)))
        provider.fault = Fault(.error(.EIO), at: 1, of: .read)
        #expect(try provider.read(3, at: 0).count == 3)
        #expect(throws: POSIXError(.EIO)) { try provider.read(3, at: 0) }
        #expect(try provider.read(3, at: 0).count == 3)
        provider.fault = Fault(.error(.EIO), at: 1, of: .read, isLasting: true)
        #expect(try provider.read(3, at: 0).count == 3)
        for _ in 0..<3 { #expect(throws: POSIXError(.EIO)) { try provider.read(3, at: 0) } }
    }

    @Test func readsAreShortAndWritesAreTakenInPart() throws {
        let provider = FaultInjectingProvider(DataContainerProvider(data: Data("old".utf8)))
        provider.fault = Fault(.short(byteCount: 2), at: 0, of: .read, isLasting: true)
        #expect(try provider.read(3, at: 0) == Data("ol".utf8))
        provider.fault = Fault(.short(byteCount: 2), at: 0, of: .write)
        let sink = try provider.createDataSink(options: .append)
        #expect(!sink.write(Data("new".utf8)) && !sink.finish())
        #expect(throws: POSIXError(.ENOSPC)) { try provider.replaceContents(with: sink) }
        #expect(try provider.data() == Data("old".utf8))
    }

    @Test func aDelayIsWaitedFor() throws {
        let provider = FaultInjectingProvider(DataContainerProvider(data: Data("old".utf8)))
        provider.fault = Fault(.delay(seconds: 0.05), at: 0)
        let start = ContinuousClock.now
        #expect(try provider.data() == Data("old".utf8))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    /// Opening, reading and each kind of save, with each of their operations failing in each way.
    @Test(arguments: [[], .append] as [DataSinkOptions])
    func case57AnErrorOfAnyOperationOfTheUpstreamPassesAndChangesNothing(
        options: DataSinkOptions
    ) throws {
        var tally = CampaignTally()
        let errors: [POSIXErrorCode] = [.EIO, .ENOSPC, .EDQUOT]
        for effect in errors.map({ Fault.Effect.error($0) }) + [.short(byteCount: 7)] {
            for number in 0...200 {
                let upstream = FaultInjectingProvider(
                    DataContainerProvider(data: try store(Self.old)))
                upstream.fault = Fault(effect, at: number)
                let count = try check(upstream, options, effect, into: &tally)
                if count <= number { break }
                try #require(number < 200, "the operations have no end")
            }
        }
        tally.report("an error of every operation of an upstream")
        #expect(tally.failures.isEmpty, "\(tally.words)")
        #expect(tally.counts["refused", default: 0] > 30 && tally.counts["new", default: 0] >= 4)
    }

    /// - Returns: how many operations there were.
    private func check(
        _ upstream: FaultInjectingProvider<DataContainerProvider>, _ options: DataSinkOptions,
        _ effect: Fault.Effect, into tally: inout CampaignTally
    ) throws -> Int {
        let new = options == .append ? Self.old + Self.tail : Self.tail
        var outcome = "new"
        var place = "opening"
        do {
            let provider = try CompressedDataProvider(upstream)
            place = "reading"
            guard try provider.data() == Self.old else { throw Wrong("\(effect): misread") }
            place = "saving"
            try provider.save(options, Self.tail)
            place = "reading what was saved"
            guard try provider.data() == new else { throw Wrong("\(effect): not saved") }
        } catch let error as Wrong { throw error } catch {
            if case .error(let code) = effect, (error as? POSIXError)?.code != code {
                throw Wrong("\(effect) while \(place) became \(error)")
            }
            outcome = place.hasPrefix("reading what") ? "read error" : "refused"
        }
        let count = upstream.operations.count
        upstream.fault = nil
        let found = try CompressedDataProvider(upstream).data()
        if found == (outcome == "refused" ? Self.old : new) {
            tally.count(outcome)
        } else {
            tally.fail("\(effect) while \(place): \(found.count) bytes")
        }
        return count
    }
}
