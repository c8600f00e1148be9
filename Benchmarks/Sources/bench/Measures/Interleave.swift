/// One way to do what is measured.
struct Variant {
    let name: String
    /// How often a run does it; times are divided by that. What takes less than some microseconds needs it.
    var repeats = 1
    /// Sets one run up, outside of the clock; what the run holds is let go outside of it, too.
    let prepare: () throws -> () throws -> Void
}

/// How long to measure.
struct Effort {
    var rounds: Int
    /// Runs of each variant in each round, of which the fastest counts: it was not interrupted. With more than one it also
    /// finds the processor's caches as its own runs left them, not those of the variant before.
    var attempts: Int
    /// Attempts end when they took this long together.
    var attemptBudget = Duration.milliseconds(10)
    /// A variant that took this long sits the rounds after its third one out; after ten times as long it has one.
    var budget: Duration
}

/// Runs the variants in turn, again and again, so that what else the machine does falls on all of them alike.
///
/// - Returns: nanoseconds of each variant in each round; a first round is not counted.
func interleave(_ variants: [Variant], _ effort: Effort) throws -> [[Double]] {
    var nanoseconds: [[Double]] = variants.map { _ in [] }
    var spent = variants.map { _ in Duration.zero }
    let clock = ContinuousClock()
    for round in 0...effort.rounds {
        for (index, variant) in variants.enumerated() {
            let isSlow = round > 3 && spent[index] > effort.budget
            if isSlow || round > 1 && spent[index] > effort.budget * 10 { continue }
            var fastest = Duration.seconds(Int64.max)
            var attempted = Duration.zero
            for _ in 0..<effort.attempts where attempted < effort.attemptBudget {
                let run = try variant.prepare()
                let time = try clock.measure { try run() }
                withExtendedLifetime(run) {}
                fastest = min(fastest, time)
                attempted += time
            }
            spent[index] += attempted
            if round > 0 {
                nanoseconds[index].append(fastest / .nanoseconds(1) / Double(variant.repeats))
            }
        }
    }
    return nanoseconds
}

extension [Double] {
    /// The middle value, or the mean of the two in the middle; not a number of an empty array.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
