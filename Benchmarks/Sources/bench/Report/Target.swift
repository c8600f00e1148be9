import Foundation
import Quire

/// What a store is to show at most, and how to find what it does show.
struct Target: Sendable {
    let title: String
    let limits: [Engine: Double]
    let measured: @Sendable (Findings, Engine) -> Double?

    private init(
        _ title: String, _ zlib: Double, _ libdeflate: Double,
        _ measured: @escaping @Sendable (Findings, Engine) -> Double?
    ) {
        self.title = title
        limits = [.zlib: zlib, .libdeflate: libdeflate]
        self.measured = measured
    }

    static let all = [
        size("stored total, against `gzip -9`: size", .size, .asTheyAre, 1.003, 0.998),
        size("the same: balanced", .balanced, .asTheyAre, 1.008, 1.003),
        size("the same: speed", .speed, .asTheyAre, 1.014, 1.012),
        size("the same, uncompressed streams: size", .size, .uncompressed, 1.05, 0.98),
        time("replay, all pages: balanced", "replay-all", .balanced, 2.5, 1.8),
        time("the same: speed", "replay-all", .speed, 1.35, 1.1),
        time(
            "the same, uncompressed streams: speed", "replay-all", .speed, of: .uncompressed, 9,
            3.8),
        time(
            "drawing all pages, whole time, against the plain file: balanced", "render", .balanced,
            1.01, 1.005),
        time("random 4 KiB, nothing cached: speed", "random-cold", .speed, 12, 9),
        time("random 4 KiB, all cached: balanced", "random-warm", .balanced, 1, 1),
        time("sequential 64 KiB, all cores: speed", "sequential", .speed, 2.2, 1.5),
        time("open and close: balanced", "open", .balanced, 6, 6),
        time(
            "packing on all cores at level 6, against `pigz -6`: balanced", "pack", .balanced,
            against: "pigz", 0.5, 0.3),
        time(
            "replay, all pages, against BGZF with the same cache: speed", "replay-all", .speed,
            against: "BGZF", 0.18, 0.14),
        time(
            "replay, all pages, against zstd seekable, same cache and blocks: speed", "replay-all",
            .speed, against: "zstd -3", 0.9, 0.72),
    ]

    /// A stored size: of zlib at level 6, of libdeflate at its highest.
    private static func size(
        _ title: String, _ favor: Favor, _ kind: Collection.Kind, _ zlib: Double,
        _ libdeflate: Double
    ) -> Target {
        Target(title, zlib, libdeflate) { findings, engine in
            let level = engine == .zlib ? 6 : engine.topLevel
            return findings.size(of: engine.name(favor, level: level), in: kind)
        }
    }

    /// A time beside that of another way of the same rounds, or else beside the plain file.
    ///
    /// - Parameter base: how the other way's name begins.
    private static func time(
        _ title: String, _ key: String, _ favor: Favor, of kind: Collection.Kind = .asTheyAre,
        against base: String? = nil, _ zlib: Double, _ libdeflate: Double
    ) -> Target {
        Target(title, zlib, libdeflate) { findings, engine in
            guard let measure = findings.measure(key, of: kind, by: engine) else { return nil }
            guard let base else { return measure.ratio(of: engine.name(favor)) }
            let other = measure.ways.first { $0.hasPrefix(base) }
            return other.flatMap { measure.ratio(of: engine.name(favor), to: $0) }
        }
    }
}

extension Findings {
    /// Each target beside what was measured.
    var targets: String {
        var rows = [["upper bound"]]
        for engine in Engine.allCases { rows[0] += ["\(engine): at most", "measured", ""] }
        rows += Target.all.map { target in
            Engine.allCases.reduce(into: [target.title]) { row, engine in
                let limit = target.limits[engine] ?? .nan
                let value = target.measured(self, engine)
                let verdict = value.map { $0 <= limit ? "met" : "not met" }
                row += ["\(limit)", exactly(value, limit), verdict ?? "not measured"]
            }
        }
        return markdown(rows)
    }

    /// So many digits that a value does not look like the bound that it misses.
    private func exactly(_ value: Double?, _ limit: Double) -> String {
        guard let value, value.isFinite else { return "-" }
        var digits = value < 2 ? 3 : value < 10 ? 2 : 1
        while digits < 6, value > limit, Double(String(format: "%.\(digits)f", value)) == limit {
            digits += 1
        }
        return String(format: "%.\(digits)f", value)
    }
}
