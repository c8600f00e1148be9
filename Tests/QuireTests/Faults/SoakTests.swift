import Foundation
import QuireCrypto
import QuireTesting
import Synchronization
import Testing

@testable import Quire

/// Eight threads that read and two that save, on one provider with a cache of three blocks.
///
/// A byte of the document is told by its place alone, whatever was saved when; saves change the size.
@Suite("Soak", .serialized)
struct SoakTests {
    /// Seconds that each stack is used; `make sanitize` sets it.
    private static let seconds =
        Double(ProcessInfo.processInfo.environment["QUIRE_SOAK"] ?? "") ?? 1
    /// No document is shorter, so that a read of less is whole.
    private static let leastSize = 60_000
    private static let mostSize = 400_000
    private static let bytes = TestBytes.mixed(mostSize + 20_000, seed: 47)

    struct Stack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (URL) throws -> any DataProviding & Sendable
    }

    static let stacks = [
        Stack(testDescription: "Compressed(File)") {
            try compressed(FileDataProvider(fileURL: $0))
        },
        Stack(testDescription: "Compressed(Coordinated)") {
            try compressed(CoordinatedFileDataProvider(fileURL: $0))
        },
        Stack(testDescription: "Compressed(AES(File))") {
            let secret = AESCryptoSecret.key { Data(repeating: 7, count: 32) }
            return try compressed(
                AESCryptoDataProvider(FileDataProvider(fileURL: $0), secret: secret))
        },
    ]

    private static func compressed(
        _ upstream: any DataProviding & Sendable
    ) throws -> CompressedDataProvider {
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(blockSize: 4096, cacheByteBudget: 3 * 4096))
        try provider.save([], bytes.prefix(leastSize))
        return provider
    }

    private struct Counts {
        var reads = 0, saves = 0, conflicts = 0
        var failures: [String] = []
    }

    @Test(arguments: stacks) func case47ThreadsReadAndSaveAndEveryByteIsRight(stack: Stack) throws {
        let provider = try stack.make(TemporaryFolder.uniqueFile("document"))
        let counts = Mutex(Counts())
        let end = ContinuousClock.now + .seconds(Self.seconds)
        onThreads(10) { thread in
            var random = TestBytes(seed: UInt64(thread))
            while ContinuousClock.now < end, counts.withLock({ $0.failures.isEmpty }) {
                do {
                    if thread >= 2 {
                        try read(provider, &random)
                        counts.withLock { $0.reads += 1 }
                    } else {
                        let isSaved = try save(provider, &random)
                        counts.withLock { if isSaved { $0.saves += 1 } else { $0.conflicts += 1 } }
                    }
                } catch { counts.withLock { $0.failures.append("thread \(thread): \(error)") } }
            }
        }
        let result = counts.withLock { $0 }
        print(
            "soak: \(stack.testDescription), 8 readers and 2 writers for \(Self.seconds) s: \(result.reads) reads,",
            "\(result.saves) saves, \(result.conflicts) conflicts, \(result.failures.count) wrong")
        #expect(result.failures.isEmpty, "\(result.failures)")
        #expect(result.reads > 20 && result.saves > 2)
        #expect(try provider.data() == Self.bytes.prefix(Int(provider.size)))
    }

    /// One step of a reader: a few reads at random, a run of reads that is read ahead of, or a snapshot.
    private func read(
        _ provider: any DataProviding & Sendable, _ random: inout TestBytes
    ) throws {
        let kind = Int.random(in: 0..<20, using: &random)
        if kind == 0 { provider.clearCache() }
        var (source, size) = (provider, Self.leastSize)
        if kind < 4, let snapshots = provider as? any SnapshotProviding {
            source = try snapshots.makeSnapshot()
            size = Int(source.size)
        }
        let isRun = kind % 2 == 0
        var offset = Int.random(in: 0..<Self.leastSize, using: &random)
        for _ in 0..<(isRun ? 30 : 5) {
            let count = isRun ? 1500 : Int.random(in: 0..<9000, using: &random)
            let found = try source.read(count, at: offset)
            let least = max(0, min(count, size - offset))
            guard found.count >= least, found == Self.bytes[offset...].prefix(found.count) else {
                throw Wrong("a read of \(count) bytes at \(offset) gave \(found.count) bytes")
            }
            offset = isRun ? offset + count : Int.random(in: 0..<Self.leastSize, using: &random)
            if offset >= Self.mostSize { break }
        }
    }

    /// Appends a little, or replaces the document by one of another size; false if the other writer was first.
    private func save(
        _ provider: any DataProviding & Sendable, _ random: inout TestBytes
    ) throws -> Bool {
        let base = Int(provider.size)
        let isAppend = base < Self.mostSize && Int.random(in: 0..<10, using: &random) > 0
        let sink = try provider.createDataSink(options: isAppend ? .append : [])
        guard !isAppend || provider.size == UInt64(base) else { return false }
        let end =
            isAppend
            ? base + Int.random(in: 0...9000, using: &random)
            : Int.random(in: Self.leastSize...Self.leastSize * 2, using: &random)
        try sink.put(Self.bytes[(isAppend ? base : 0)..<end])
        try sink.close()
        do { try provider.replaceContents(with: sink) } catch QuireError.Code.conflict {
            return false
        }
        return true
    }
}

/// Runs `body` on so many threads of their own, and waits for them; concurrentPerform has no more than there are cores.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}
