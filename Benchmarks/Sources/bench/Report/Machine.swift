import Foundation

/// What the numbers were measured on.
struct Machine: Encodable {
    let coreCount = ProcessInfo.processInfo.activeProcessorCount
    let processor: String
    let kernel: String
    /// Programs that wanted a core in the minute before, and in the last minute of the run.
    let loadBefore = currentLoad()
    var loadAfter = Double.nan

    init() {
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
