import Foundation

/// Counts of a campaign, in one line that begins as `make crash` looks for it.
struct CampaignTally {
    /// Whether the long campaigns run, as in `make crash`.
    static let isLong = ProcessInfo.processInfo.environment["QUIRE_CRASH"] != nil

    private(set) var caseCount = 0
    private(set) var counts: [String: Int] = [:]
    private(set) var failures: [String] = []

    /// Counts a case, with what came of it.
    mutating func count(_ outcome: String, times: Int = 1) {
        caseCount += times
        counts[outcome, default: 0] += times
    }

    mutating func fail(_ failure: String) {
        count("wrong")
        note(failure)
    }

    /// Keeps the words for a failure that has been counted.
    mutating func note(_ failure: String) { failures.append(failure) }

    /// The first failures, for the message of an expectation.
    var words: String { failures.prefix(10).joined(separator: "\n") }

    func report(_ campaign: String) {
        let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print("crash: \(caseCount) cases, \(campaign): \(parts.joined(separator: ", "))")
    }
}

/// What a campaign found.
struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
