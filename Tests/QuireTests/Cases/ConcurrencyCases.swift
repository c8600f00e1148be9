import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Readers at once.
@Suite("Cases G: concurrency")
struct ConcurrencyCases {
    @Test func case47ThirtyTwoTasksReadOneHandleAMillionTimes() async throws {
        // Deflated blocks, stored ones and both in one; a cache of half of them, so that blocks come and go.
        let document = TestBytes.mixed(400_000) + TestBytes.noise(100_000)
        let url = try TemporaryFolder.uniqueFile("read.gz")
        try store(document, blockSize: 4096).write(to: url)
        let provider = try CompressedDataProvider(
            url: url, configuration: .init(cacheByteBudget: 250_000))
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<32 {
                group.addTask {
                    var random = TestBytes(seed: UInt64(task))
                    return (0..<1_000_000 / 32).count { _ in
                        let number = random.next()
                        let offset = Int(number % UInt64(document.count))
                        let size = Int(number >> 32 % 200)
                        let found = try? provider.read(size, at: offset)
                        return found != document[offset..<min(offset + size, document.count)]
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
