import Foundation
import Synchronization

/// The user's or the system's wish that the tool ends, met between two pieces of work.
///
/// Commands that write a file watch for it, so that their sinks are dropped and leave no temporary file. All others die at
/// once, as is usual.
struct Interruption: Error {
    let signal: Int32

    private static let received = Atomic<Int32>(0)

    /// From now on SIGINT, SIGTERM and SIGHUP are only noted; those that the parent had ignored stay so.
    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let previous = Foundation.signal(number) {
                Interruption.received.store($0, ordering: .relaxed)
            }
            // SAFETY: a handler is compared by its address alone; SIG_IGN is 1 everywhere.
            if unsafe unsafeBitCast(previous, to: Int.self) == 1 {
                _ = Foundation.signal(number, previous)
            }
        }
    }

    /// - Throws: an `Interruption` once a signal has come.
    static func check() throws {
        let number = received.load(ordering: .relaxed)
        if number != 0 { throw Interruption(signal: number) }
    }
}
