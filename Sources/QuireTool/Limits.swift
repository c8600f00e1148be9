import Foundation

/// What the tool needs of the process it runs in. Dispatch traps, or waits for ever, where it cannot have it.
enum Limits {
    private static let descriptorCount = 10

    /// Ends the tool with one line if it cannot work here.
    static func check() {
        var limit = rlimit()
        if unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < descriptorCount {
            limit.rlim_cur = min(rlim_t(descriptorCount), limit.rlim_max)
            guard unsafe setrlimit(resource, &limit) == 0, limit.rlim_cur >= descriptorCount else {
                end("this process may open \(limit.rlim_max) files, \(descriptorCount) are needed")
            }
        }
        guard canMakeThreads else { end("this process cannot make threads, which are needed") }
    }

    private static func end(_ line: String) -> Never {
        Console.say(line)
        exit(ExitStatus.failed.code)
    }

    private static var canMakeThreads: Bool {
        #if canImport(Darwin)
            var thread: pthread_t?
            guard unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return false }
            if let thread = unsafe thread { _ = unsafe pthread_join(thread, nil) }
        #else
            var thread = pthread_t()
            guard unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return false }
            _ = pthread_join(thread, nil)
        #endif
        return true
    }

    #if os(Linux)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
