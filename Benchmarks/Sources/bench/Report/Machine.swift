import Foundation

/// What the numbers were measured on.
struct Machine: Codable {
    let coreCount: Int
    let processor: String
    let kernel: String
    /// Programs that wanted a core in the minute before, and in the last minute of the run.
    let loadBefore: Double
    var loadAfter = Double.nan

    /// Cores that this program may use. `taskset` takes some away, which ProcessInfo does not see.
    static let coreCount: Int = {
        let all = ProcessInfo.processInfo.activeProcessorCount
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let mask = status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        let bits = mask?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
        return min(all, bits?.reduce(0) { $0 + $1.nonzeroBitCount } ?? all)
    }()

    init() {
        coreCount = Self.coreCount
        loadBefore = Self.currentLoad()
        let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
        processor =
            line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
            ?? "unknown processor"
        var name = utsname()
        unsafe uname(&name)
        // SAFETY: uname ends each of its fields with a zero.
        let text = { (field: UnsafeRawBufferPointer) in
            unsafe String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
        }
        kernel = unsafe [
            withUnsafeBytes(of: name.sysname, text), withUnsafeBytes(of: name.release, text),
            withUnsafeBytes(of: name.machine, text),
        ].joined(separator: " ")
    }

    static func currentLoad() -> Double {
        var load = 0.0
        unsafe getloadavg(&load, 1)
        return load
    }
}
