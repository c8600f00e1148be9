import Foundation
import QuireTesting
import Testing

@testable import Quire

/// What `make fuzz` has found, and its seeds, run once; and a slice of what it does, without its help.
@Suite("Fuzzing")
struct FuzzTests {
    static let regressions = FormatTests.root.appendingPathComponent("Tests/Fuzz/regressions")

    @Test func everyRegressionStaysMended() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.regressions.path)
        for name in names where !name.hasPrefix("README") {
            try Inputs.run(Data(contentsOf: Self.regressions.appendingPathComponent(name)))
        }
    }

    @Test func thereAreSeedsOfEachKind() { #expect(FuzzSeeds.all.count == 7) }

    @Test(arguments: FuzzSeeds.all) func everySeedRuns(seed: FuzzSeeds.Seed) throws {
        try Inputs.run(seed.input)
    }

    /// Some thousand mutations of the seeds: bytes, ranges, and pieces of other seeds.
    @Test(arguments: FuzzSeeds.all) func mutatedSeedsAreErrorsOrRight(seed: FuzzSeeds.Seed) throws {
        var random = TestBytes(seed: UInt64.random(in: 0 ... .max))
        for _ in 0..<400 {
            let state = random
            var input = seed.input
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 1..<input.count, using: &random)
                let length = min(Int.random(in: 1...64, using: &random), input.count - place)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: input[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                case 1: input.removeSubrange(place..<place + length)
                case 2: input.insert(contentsOf: input[place..<place + length], at: place)
                default:
                    let other = FuzzSeeds.all[
                        Int.random(in: 0..<FuzzSeeds.all.count, using: &random)]
                    input.append(other.input.suffix(length * 8))
                }
                if input.count < 2 { input = seed.input }
            }
            #expect(throws: Never.self, "seed \(seed), generator \(state)") {
                try Inputs.run(input)
            }
        }
    }
}
