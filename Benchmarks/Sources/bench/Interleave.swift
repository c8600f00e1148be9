/// One way to do what is measured.
struct Variant {
    let name: String
    /// How often a run does it; times are divided by that. What takes less than some microseconds needs it.
    var repeats = 1
    /// Sets one run up, outside of the clock; what the run holds is let go outside of it, too.
    let prepare: () throws -> () throws -> Void
}

/// Runs the variants in turn, again and again, so that what else the machine does falls on all of them alike.
///
/// - Parameter attempts: runs of each variant in each round, of which the fastest counts: it was not interrupted. With more
///   than one it also finds the processor's caches as its own runs left them, not those of the variant before.
/// - Returns: nanoseconds of each variant in each round; a first round is not counted.
func interleave(_ variants: [Variant], rounds: Int, attempts: Int) throws -> [[Double]] {
    var nanoseconds: [[Double]] = variants.map { _ in [] }
    let clock = ContinuousClock()
    for round in 0...rounds {
        for (index, variant) in variants.enumerated() {
            var fastest = Duration.seconds(Int64.max)
            for _ in 0..<attempts {
                let run = try variant.prepare()
                fastest = min(fastest, try clock.measure { try run() })
                withExtendedLifetime(run) {}
            }
            if round > 0 {
                nanoseconds[index].append(fastest / .nanoseconds(1) / Double(variant.repeats))
            }
        }
    }
    return nanoseconds
}

extension [Double] {
    /// The middle value, or the mean of the two in the middle; not of an empty array.
    var median: Double {
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
