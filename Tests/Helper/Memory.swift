import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Memory of this process, in bytes, as the kernel tells it; 0 where it does not.
enum Memory {
    static var resident: Int { field("VmRSS:") }
    static var peak: Int { field("VmHWM:") }

    /// Not where there is no /proc, or a sanitizer keeps what is freed and has a shadow of all.
    static var isKnown: Bool { 1..<1 << 40 ~= field("VmSize:") }

    /// Has allocations fail from so many more bytes on.
    static func limit(to byteCount: Int) {
        guard isKnown else { return }
        #if os(Linux)
            let size = rlim_t(field("VmSize:") + byteCount)
            var limit = rlimit(rlim_cur: size, rlim_max: size)
            // SAFETY: the system reads one `rlimit`.
            unsafe _ = setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #endif
    }

    /// Makes the peak what is resident now.
    static func resetPeak() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}
