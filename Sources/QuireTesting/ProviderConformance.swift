public import Foundation
public import Quire

/// The rules that every `DataProviding` keeps, as checks that run on any of them, under any test framework.
///
/// ```swift
/// @Test(arguments: ProviderConformance.rules)
/// func myProviderConforms(rule: ProviderConformance.Rule) throws {
///     try rule.check(ProviderConformance.Subject("mine") { try MyProvider(contents: $0) })
/// }
/// ```
public enum ProviderConformance {
    /// A kind of provider under test.
    public struct Subject: Sendable, CustomStringConvertible {
        /// Its name, for messages.
        public let description: String
        /// The size whose neighbourhood is tested: of a block, a chunk, a buffer.
        public let blockSize: Int
        /// Makes a new writable provider that holds these bytes, independent of all others.
        public let make: @Sendable (Data) throws -> any DataProviding

        /// Describes a kind of provider.
        public init(
            _ description: String, blockSize: Int = 4096,
            make: @escaping @Sendable (Data) throws -> any DataProviding
        ) {
            self.description = description
            self.blockSize = blockSize
            self.make = make
        }

        /// Document sizes at the edges: 0, 1, B - 1, B, B + 1, 2B, and many blocks with a short last one.
        var sizes: [Int] {
            [0, 1, blockSize - 1, blockSize, blockSize + 1, 2 * blockSize, 7 * blockSize + 13]
        }
    }

    /// One rule.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule, as a claim.
        public let description: String
        /// Checks it; throws a `Failure` that says what was found.
        public let check: @Sendable (Subject) throws -> Void

        init(_ description: String, _ check: @escaping @Sendable (Subject) throws -> Void) {
            self.description = description
            self.check = check
        }
    }

    /// A rule that was broken.
    public struct Failure: Error, CustomStringConvertible {
        /// Which, and what was found.
        public let description: String
    }

    /// All rules.
    public static let rules: [Rule] = readingRules + savingRules + sinkRules + threadRules

    /// Checks all rules; throws the first failure.
    public static func check(_ subject: Subject) throws {
        for rule in rules { try rule.check(subject) }
    }

    static func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw Failure(description: message()) }
    }

    /// Requires an error; one of Quire's must have the code, unless the older protocol cannot tell.
    static func requireError(
        _ code: QuireError.Code, _ what: String, _ body: () throws -> Void
    ) throws {
        do { try body() } catch {
            let found = (error as? QuireError)?.code ?? code
            return try require(
                found == code || found == .refusedSink,
                "\(what): threw \(found), expected \(code)")
        }
        throw Failure(description: "\(what): threw nothing, expected \(code)")
    }

    static func requireContents(
        _ provider: any DataProviding, _ expected: Data, _ when: String
    ) throws {
        try require(
            provider.size == UInt64(expected.count),
            "\(when): size is \(provider.size), expected \(expected.count)")
        try require(try provider.data() == expected, "\(when): the contents differ")
    }

    /// Writes `parts` and finishes.
    static func fill(_ sink: any DataSink, _ parts: Data...) throws {
        for part in parts { try require(sink.write(part), "a sink refused \(part.count) bytes") }
        try require(sink.finish() && sink.isFinished, "a sink could not be finished")
    }

    static func save(
        _ provider: any DataProviding, _ options: DataSinkOptions, _ parts: Data...
    ) throws {
        let sink = try provider.createDataSink(options: options)
        for part in parts { try require(sink.write(part), "a sink refused \(part.count) bytes") }
        try fill(sink)
        try provider.replaceContents(with: sink)
    }
}
