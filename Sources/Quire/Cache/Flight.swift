import Foundation

/// What one thread is making and others wait for.
final class Flight<Value: Sendable>: @unchecked Sendable {
    // SAFETY: `result` is only touched while the condition is locked.
    private let condition = NSCondition()
    private var result: Result<Value, any Error>?

    var hasLanded: Bool { condition.withLock { result != nil } }

    func land(_ result: Result<Value, any Error>) {
        condition.withLock {
            self.result = result
            condition.broadcast()
        }
    }

    func wait() -> Result<Value, any Error> {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result { return result }
            condition.wait()
        }
    }
}
