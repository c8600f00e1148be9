import Foundation
import Quire

/// What all that is read here has in common; the providers have it already.
protocol PositionalReader {
    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws
}
extension FileDataProvider: PositionalReader {}
extension CompressedDataProvider: PositionalReader {}

/// Where a document is read, and from a provider in what state.
struct ReadPattern {
    let title: String
    let note: String
    let readSize: Int
    /// Whether each run begins with a provider that has read nothing; otherwise with one that went over the offsets before.
    let isCold: Bool
    let offsets: (_ size: Int) -> [UInt64]

    static func all(seed: UInt64) -> [ReadPattern] {
        let random = { (size: Int, count: Int) in
            var generator = SplitMix64(seed: seed)
            let last = UInt64(max(0, size - 4096))
            return (0..<count).map { _ in UInt64.random(in: 0...last, using: &generator) }
        }
        return [
            ReadPattern(
                title: "random 4 KiB reads, cold",
                note: "a fresh provider; one read for each 64 KiB of the document",
                readSize: 4096, isCold: true
            ) { random($0, max(1, $0 / 65_536)) },
            ReadPattern(
                title: "random 4 KiB reads, warm",
                note: "the same provider after the same 1,000 reads, 4 MiB of cache",
                readSize: 4096, isCold: false
            ) { random($0, 1000) },
            ReadPattern(
                title: "sequential read in 64 KiB steps, cold", note: "a fresh provider",
                readSize: 65_536, isCold: true
            ) { stride(from: 0, to: UInt64($0), by: 65_536).map { $0 } },
        ]
    }

    /// Raw pread, the file provider and the store, each into an aligned buffer.
    func measure(_ documents: [Document], rounds: Int) throws -> Measure {
        Measure(
            title, note: note, variants: ["pread", "FileDataProvider", "store"],
            samples: try documents.map { try sample($0, rounds: rounds) })
    }

    private func sample(_ document: Document, rounds: Int) throws -> Sample {
        let offsets = offsets(document.data.count)
        let repeats = max(1, 256 / offsets.count)
        let buffer = PageBuffer(byteCount: readSize)
        let raw = try RawFile(document.url)
        let file = FileDataProvider(fileURL: document.url)
        let store = try CompressedDataProvider(url: document.storeURL)
        // These passes also warm what is to be warm.
        try check(raw, at: offsets, against: document, with: buffer)
        try check(file, at: offsets, against: document, with: buffer)
        try check(store, at: offsets, against: document, with: buffer)

        func plain(_ name: String, _ reader: some PositionalReader) -> Variant {
            Variant(name: name, repeats: repeats) {
                { for _ in 0..<repeats { try read(reader, at: offsets, into: buffer) } }
            }
        }
        let times = try interleave(
            [
                plain("pread", raw),
                plain("FileDataProvider", file),
                Variant(name: "store") {
                    let fresh = try isCold ? CompressedDataProvider(url: document.storeURL) : store
                    return { try read(fresh, at: offsets, into: buffer) }
                },
            ], rounds: rounds, attempts: 5)
        return Sample(
            document: document.name, byteCount: document.data.count,
            operationCount: offsets.count, nanoseconds: times)
    }

    private func check(
        _ reader: some PositionalReader, at offsets: [UInt64], against document: Document,
        with buffer: PageBuffer
    ) throws {
        for offset in offsets {
            try buffer.fill { try reader.read(into: &$0, atOffset: offset) }
            guard buffer.holds(document.data.dropFirst(Int(offset)).prefix(readSize)) else {
                throw BenchError("\(document.name): \(type(of: reader)) is wrong at \(offset)")
            }
        }
    }
}

private func read(_ reader: some PositionalReader, at offsets: [UInt64], into buffer: PageBuffer)
    throws
{
    for offset in offsets { try buffer.fill { try reader.read(into: &$0, atOffset: offset) } }
}

/// Steele, Lea and Flood's generator: the same numbers everywhere.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
