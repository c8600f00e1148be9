public import Foundation
public import Quire
import Synchronization

extension ProviderConformance {
    static let threadRules: [Rule] = [
        Rule("many threads read at once") { subject in
            let document = TestBytes.mixed(11 * subject.blockSize + 77, seed: 11)
            nonisolated(unsafe) let provider = try subject.make(document)
            let failure = Mutex<(any Error)?>(nil)
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                var random = TestBytes(seed: UInt64(thread))
                do {
                    for _ in 0..<100 {
                        let offset = Int.random(in: 0..<document.count, using: &random)
                        let count = Int.random(in: 0...2 * subject.blockSize, using: &random)
                        // SAFETY: providers are read from many threads; that is what is tested.
                        let found = try unsafe provider.readData(
                            withSize: UInt64(count), atOffset: UInt64(offset))
                        let end = min(offset + count, document.count)
                        try require(
                            found == document[offset..<end],
                            "a read of \(count) at \(offset) on thread \(thread) differs")
                    }
                } catch { failure.withLock { $0 = error } }
            }
            if let error = failure.withLock({ $0 }) { throw error }
        },
        Rule("readers see whole revisions while saves are committed") { subject in
            let test = RevisionTest(appends: 20, replaces: 4, blockSize: subject.blockSize)
            try test.run(readers: 2, make: subject.make)
        },
    ]
}

/// Reads at random from several threads while appends and replacements are committed: each read must be, to the byte,
/// of one revision that was current while it ran.
///
/// Every word of a document tells the generation (which replacement) and its place.
public struct RevisionTest: Sendable {
    /// What was read, of all threads.
    public struct Tally: Sendable {
        /// Reads that were checked.
        public var readCount = 0
        /// Commits that were made.
        public var commitCount = 0
    }

    private struct Version { var generation: UInt64, size: Int }

    private let versions: [(options: DataSinkOptions, version: Version)]
    private let baseSize: Int

    /// - Parameters:
    ///   - appends: how many appends are committed.
    ///   - replaces: how many replacements, spread evenly among them.
    ///   - blockSize: documents and appends have sizes around it.
    public init(appends: Int, replaces: Int, blockSize: Int) {
        var random = TestBytes(seed: UInt64(appends))
        baseSize = 3 * blockSize + 5
        var current = Version(generation: 0, size: baseSize)
        var versions: [(DataSinkOptions, Version)] = [([], current)]
        for index in 1...max(appends, 1) {
            current.size += Int.random(in: 0...blockSize, using: &random)
            versions.append((.append, current))
            if index % max(1, appends / max(replaces, 1)) == 0 {
                let size = Int.random(in: 0...4 * blockSize, using: &random)
                current = Version(generation: current.generation + 1, size: size)
                versions.append(([], current))
            }
        }
        self.versions = versions
    }

    /// Runs the test; throws a `ProviderConformance.Failure` if a read was of no one revision.
    @discardableResult
    public func run(
        readers: Int, make: (Data) throws -> any DataProviding
    ) throws -> Tally {
        nonisolated(unsafe) let provider = try make(contents(0, 0..<baseSize))
        // The version that reads may begin to see, and the one that they must see.
        let begun = Atomic(0)
        let done = Atomic(0)
        let isOver = Atomic(false)
        let reads = Atomic(0)
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: readers + 1) { thread in
            do {
                if thread == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    // A few reads for each commit, or fast saves would leave the readers nothing.
                    for index in 1..<versions.count {
                        let target = reads.load(ordering: .relaxed) + readers
                        while reads.load(ordering: .relaxed) < target,
                            failure.withLock({ $0 == nil })
                        { Thread.sleep(forTimeInterval: 0.000_05) }
                        // SAFETY: one thread writes, the others read; that is what is tested.
                        try commit(index, to: unsafe provider, begun: begun, done: done)
                    }
                } else {
                    var random = TestBytes(seed: UInt64(thread))
                    while !isOver.load(ordering: .acquiring) {
                        let first = done.load(ordering: .sequentiallyConsistent)
                        let offset = Int.random(
                            in: 0...versions[first].version.size, using: &random)
                        let count = Int.random(in: 0...20_000, using: &random)
                        let found = try unsafe provider.readData(
                            withSize: UInt64(count), atOffset: UInt64(offset))
                        let last = begun.load(ordering: .sequentiallyConsistent)
                        try check(found, offset, count, first...last)
                        reads.add(1, ordering: .relaxed)
                    }
                }
            } catch { failure.withLock { $0 = $0 ?? error } }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return Tally(readCount: reads.load(ordering: .relaxed), commitCount: versions.count - 1)
    }

    private func commit(
        _ index: Int, to provider: any DataProviding, begun: borrowing Atomic<Int>,
        done: borrowing Atomic<Int>
    ) throws {
        let (options, version) = versions[index]
        let start = options.contains(.append) ? versions[index - 1].version.size : 0
        let sink = try provider.createDataSink(options: options)
        try ProviderConformance.fill(sink, contents(version.generation, start..<version.size))
        begun.store(index, ordering: .sequentiallyConsistent)
        try provider.replaceContents(with: sink)
        done.store(index, ordering: .sequentiallyConsistent)
    }

    private func check(_ found: Data, _ offset: Int, _ count: Int, _ range: ClosedRange<Int>) throws
    {
        for (_, version) in versions[range] {
            let end = min(offset + count, version.size)
            if found == contents(version.generation, min(offset, end)..<end) { return }
        }
        throw ProviderConformance.Failure(
            description:
                "a read of \(count) bytes at \(offset) gave \(found.count) bytes of none of the revisions \(range)"
        )
    }

    /// A part of the document of a generation, whatever its size: noise in one block of three, else text.
    private func contents(_ generation: UInt64, _ range: Range<Int>) -> Data {
        guard !range.isEmpty else { return Data() }
        let words = (range.lowerBound / 8)...((range.upperBound - 1) / 8)
        var data = Data(capacity: words.count * 8)
        for word in words {
            let place = UInt64(word)
            var value = generation << 32 | place >> 4
            if place >> 9 % 3 == 0 {
                var random = TestBytes(seed: generation << 40 ^ place)
                value = random.next()
            }
            unsafe withUnsafeBytes(of: value.littleEndian) { unsafe data.append(contentsOf: $0) }
        }
        let start = range.lowerBound - words.lowerBound * 8
        return data.subdata(in: start..<start + range.count)
    }
}
