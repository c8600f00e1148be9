import Foundation

/// Tells on a terminal how far a longer piece of work has come; silent in its first second, and anywhere else.
final class ProgressMeter {
    private let label: String
    private let total: UInt64?
    private let isShown = isatty(STDERR_FILENO) == 1
    private var next = ContinuousClock.now + .seconds(1)
    private var done: UInt64 = 0
    private var isDrawn = false

    /// - Parameters:
    ///   - verb: what is done, as in "packing".
    ///   - file: to what.
    ///   - total: bytes that there are to do; nil if nobody knows.
    init(_ verb: String, _ file: String, total: UInt64?) {
        let name = file == "-" ? "standard input" : (file as NSString).lastPathComponent
        // A line longer than the terminal could not be drawn over.
        label = "\(verb) \(name.count > 40 ? name.prefix(39) + "…" : name)"
        self.total = total
    }

    deinit { clear() }

    func add(_ byteCount: Int) { set(to: done + UInt64(byteCount)) }

    /// - Parameter done: bytes done so far.
    func set(to done: UInt64) {
        self.done = done
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(100)
        let amount: String
        if let total, total > 0 {
            amount = "\(UInt64(min(1, Double(done) / Double(total)) * 100)) %"
        } else {
            amount = Amount.short(done)
        }
        Console.write("\r\u{1b}[K\(label): \(amount)", to: STDERR_FILENO)
        isDrawn = true
    }

    /// Leaves the line as if nothing had been there.
    func clear() {
        guard isDrawn else { return }
        Console.write("\r\u{1b}[K", to: STDERR_FILENO)
        isDrawn = false
    }
}
