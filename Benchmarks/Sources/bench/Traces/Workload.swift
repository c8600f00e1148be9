import Foundation

/// Reads of every document, and in what state the source is found by them.
struct Workload {
    let key: String
    let title: String
    let note: String
    /// Whether each run begins with a source that has read nothing; otherwise with one that did the same reads before.
    let isCold: Bool
    /// Whether what takes milliseconds a read is not asked for it.
    var isLong = false
    /// Nil if there is nothing to read of this document.
    let reads: (Document) throws -> [Read]?

    /// Replays of traces.
    static func replays(by recorder: Recorder) -> [Workload] {
        let titles: [Trace.Session: String] = [
            .open: "PDFium opens", .first: "PDFium opens and draws the first page",
            .all: "PDFium opens and draws all pages",
            .jumps: "PDFium opens and draws 20 pages anywhere",
        ]
        return Trace.Session.allCases.map { session in
            Workload(
                key: "replay-\(session)", title: "replay: \(titles[session] ?? "")",
                note: "nothing cached at the start" + (session == .all ? "; 60 pages at most" : ""),
                isCold: true, isLong: session == .jumps
            ) { try recorder.trace(session, of: $0)?.reads }
        }
    }

    /// Reads that no renderer does, but that bound what one can see.
    static func patterns(seed: UInt64) -> [Workload] {
        [
            Workload(
                key: "random-cold", title: "random 4 KiB reads, nothing cached",
                note: "one read for each 64 KiB of the document", isCold: true, isLong: true
            ) {
                random(max(1, $0.data.count / 65_536), in: 0..<$0.data.count, seed)
            },
            Workload(
                key: "random-warm", title: "random 4 KiB reads, all cached",
                note: "1,000 reads within 1 MiB of the document, done before", isCold: false,
                isLong: true
            ) {
                let start = max(0, ($0.data.count - 1 << 20) / 2)
                return random(1000, in: start..<min(start + 1 << 20, $0.data.count), seed)
            },
            Workload(
                key: "sequential", title: "sequential read in 64 KiB steps, nothing cached",
                note: "the whole document", isCold: true
            ) {
                stride(from: 0, to: $0.data.count, by: 65_536).map {
                    Read(offset: UInt64($0), size: 65_536)
                }
            },
        ]
    }

    private static func random(_ count: Int, in range: Range<Int>, _ seed: UInt64) -> [Read] {
        var generator = SplitMix64(seed: seed)
        let last = max(range.lowerBound, range.upperBound - 4096)
        return (0..<count).map { _ in
            let offset = Int.random(in: range.lowerBound...last, using: &generator)
            return Read(offset: UInt64(offset), size: 4096)
        }
    }
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
