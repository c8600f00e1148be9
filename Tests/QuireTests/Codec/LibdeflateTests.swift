#if Libdeflate
    import Foundation
    import QuireTesting
    import Testing

    @testable import Quire

    /// The engine of the trait, beside zlib.
    @Suite("Libdeflate")
    struct LibdeflateTests {
        static let codecs: [any BlockCodec] = [LibdeflateCodec.shared, ZlibCodec.shared]

        /// Deflates with one engine and inflates with both.
        private func roundTrip(
            _ block: Data, runs: [Run], level: Int, codec: any BlockCodec
        ) throws -> (deflated: AlignedBuffer, maps: [StoredRuns]) {
            let deflated = AlignedBuffer(capacity: 2 * block.count + 1000)
            try deflated.fill(upTo: deflated.capacity) {
                let fits = try codec.deflate(block.bytes, runs: runs, into: &$0, level: level)
                #expect(fits)
            }
            var maps: [StoredRuns] = []
            for reader in Self.codecs {
                let inflated = AlignedBuffer(capacity: block.count)
                try inflated.fill(upTo: block.count) { output in
                    let map = try deflated.withBytes { try reader.inflate($0, into: &output) }
                    maps.append(map)
                }
                #expect(inflated.data == block)
            }
            return (deflated, maps)
        }

        @Test(arguments: Array(1...12))
        func eitherEngineReadsHybridBlocksOfTheOther(level: Int) throws {
            let block = HybridTests.document(UInt64(level))
            let runs = RunFinder.runs(of: block.bytes, inflatePrice: 0.1)
            #expect(runs.contains { $0.isStored })
            for codec in Self.codecs where level <= 9 || codec is LibdeflateCodec {
                let (deflated, maps) = try roundTrip(
                    block, runs: runs, level: level, codec: codec)
                // What the search finds is what the walk sees, and the bytes there are the document's.
                var position = 0
                for run in runs {
                    let range = position + 10..<position + run.byteCount - 10
                    position += run.byteCount
                    guard run.isStored, run.byteCount > 2000 else { continue }
                    let offsets = maps.map { $0.memberOffset(of: range) }
                    #expect(offsets[0] == offsets[1])
                    let offset = try #require(offsets[0])
                    #expect(
                        deflated.data[offset..<offset + range.count] == block[range])
                }
            }
        }

        @Test func anyDivisionOfAnyBlockIsTaken() throws {
            let seed = UInt64.random(in: 0 ... .max)
            var random = TestBytes(seed: seed)
            for round in 0..<150 {
                let size = Int.random(in: 1...40_000, using: &random)
                let block =
                    switch round % 4 {
                    case 0: TestBytes.noise(size, seed: seed &+ UInt64(round))
                    case 1: Data(count: size)
                    case 2: Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7 % 256) })
                    default: TestBytes.mixed(size, seed: seed &+ UInt64(round))
                    }
                var runs: [Run] = []
                var rest = size
                while rest > 0 {
                    let count = min(
                        rest, Int.random(in: 1...(round % 3 == 0 ? 50 : 9000), using: &random))
                    runs.append(Run(byteCount: count, isStored: Bool.random(using: &random)))
                    rest -= count
                }
                let level = Int.random(in: 1...12, using: &random)
                _ = try roundTrip(block, runs: runs, level: level, codec: LibdeflateCodec.shared)
            }
            #expect(Bool(true), "seed \(seed)")
        }

        @Test func aHeaderInsideAStoredRunMisleadsNobody() throws {
            // A stored run that holds what looks like stored deflate blocks, of its own bytes and of others.
            var block = TestBytes.mixed(3000)
            for length in [1024, 2000, 4000] as [UInt16] {
                var header: [UInt8] = []
                header.append(littleEndian: length)
                header.append(littleEndian: ~length)
                block += header + TestBytes.noise(3000, seed: UInt64(length))
            }
            let runs = [
                Run(byteCount: 2990, isStored: false),
                Run(byteCount: block.count - 2990, isStored: true),
            ]
            let (deflated, maps) = try roundTrip(
                block, runs: runs, level: 6, codec: LibdeflateCodec.shared)
            for map in maps {
                for start in stride(from: 0, to: block.count - 100, by: 50) {
                    guard let offset = map.memberOffset(of: start..<start + 100) else { continue }
                    #expect(deflated.data[offset..<offset + 100] == block[start..<start + 100])
                }
            }
        }

        @Test func codesKeepToTheirLimit() {
            // Fibonacci weights make the deepest tree.
            var weights: [UInt32] = [1, 1]
            while weights.count < 40 { weights.append(weights.suffix(2).reduce(0, +)) }
            for (limit, count) in [(7, 19), (15, 40)] {
                let code = HuffmanCode(frequencies: Array(weights[..<count]), limit: limit)
                let sum = code.lengths.reduce(0) { $0 + (1 << (limit - Int($1))) }
                #expect(sum == 1 << limit)
                #expect(code.lengths.allSatisfy { 1...limit ~= Int($0) })
            }
        }

        @Test func everyLengthAndDistanceHasItsSymbol() {
            for length in 3...258 {
                let token = DeflateToken(length: UInt16(length), distance: 1).lengthSymbol
                let (base, bitCount) = DeflateToken.length(ofSymbol: token.symbol)
                #expect(base + Int(token.extra) == length && bitCount == token.bitCount)
            }
            for distance in 1...32_768 {
                let token = DeflateToken(length: 3, distance: UInt16(distance)).distanceSymbol
                let (base, bitCount) = DeflateToken.distance(ofSymbol: token.symbol)
                #expect(base + Int(token.extra) == distance && bitCount == token.bitCount)
            }
        }
    }
#endif
