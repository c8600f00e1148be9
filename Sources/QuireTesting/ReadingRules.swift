import Foundation
import Quire

extension ProviderConformance {
    static let readingRules: [Rule] = [
        Rule("reads are exact around every edge") { subject in
            for size in subject.sizes {
                let document = TestBytes.mixed(size, seed: UInt64(size))
                let provider = try subject.make(document)
                for offset in edges(size, subject) {
                    for count in edges(size, subject) {
                        try checkRead(provider, document, UInt64(count), UInt64(offset))
                    }
                }
            }
        },
        Rule("reads are exact at random") { subject in
            let size = 23 * subject.blockSize + 101
            let document = TestBytes.mixed(size, seed: 23)
            let provider = try subject.make(document)
            let seed = UInt64.random(in: 0 ... .max)
            var random = TestBytes(seed: seed)
            do {
                for _ in 0..<300 {
                    let offset = UInt64.random(in: 0...UInt64(size) + 10, using: &random)
                    let count = UInt64.random(in: 0...UInt64(3 * subject.blockSize), using: &random)
                    try checkRead(provider, document, count, offset)
                }
            } catch let failure as Failure {
                throw Failure(description: failure.description + " (seed \(seed))")
            }
        },
        Rule("a read past the end is empty, whatever offset + size is") { subject in
            for size in subject.sizes {
                let document = TestBytes.mixed(size)
                let provider = try subject.make(document)
                let end = UInt64(size)
                for offset in [end, end + 1, UInt64(Int64.max), .max - 1, .max] {
                    for count in [1, UInt64(Int64.max), .max] as [UInt64] {
                        try checkRead(provider, document, count, offset)
                    }
                }
                try checkRead(provider, document, .max, 0)
                if size > 0 { try checkRead(provider, document, UInt64(20 * size), end - 1) }
            }
        },
        Rule("data() is the whole document") { subject in
            for size in subject.sizes {
                let document = TestBytes.mixed(size, seed: 5)
                try requireContents(try subject.make(document), document, "\(size) bytes")
            }
        },
        Rule("clearCache() changes nothing that is read") { subject in
            let document = TestBytes.mixed(3 * subject.blockSize + 1)
            let provider = try subject.make(document)
            provider.clearCache()
            try requireContents(provider, document, "after clearCache")
        },
        Rule("uid is not empty, stays through saves, and is another for another document") {
            subject in
            let provider = try subject.make(Data("one".utf8))
            let uid = provider.uid
            try require(!uid.isEmpty, "the uid is empty")
            try save(provider, .append, Data("more".utf8))
            try save(provider, [], Data("new".utf8))
            try require(provider.uid == uid, "the uid changed from \(uid) to \(provider.uid)")
            let other = try subject.make(Data("two".utf8))
            try require(other.uid != uid, "two documents have the uid \(uid)")
        },
    ]

    /// Offsets and sizes around the edges of blocks and of the document.
    private static func edges(_ size: Int, _ subject: Subject) -> [Int] {
        let block = subject.blockSize
        let all = [
            0, 1, block - 1, block, block + 1, 2 * block - 1, 2 * block, size - 1, size, size + 1,
        ]
        return Set(all).filter { $0 >= 0 }.sorted()
    }

    /// Compares a read, in both forms, with the same part of the document.
    private static func checkRead(
        _ provider: any DataProviding, _ document: Data, _ count: UInt64, _ offset: UInt64
    ) throws {
        let start = Int(min(offset, UInt64(document.count)))
        let expected = document[start..<start + Int(min(count, UInt64(document.count - start)))]
        let found = try provider.readData(withSize: count, atOffset: offset)
        try require(
            found == expected,
            "a read of \(count) bytes at \(offset) of \(document.count) gave \(found.count) \(found.count == expected.count ? "wrong bytes" : "bytes, expected \(expected.count)")"
        )
        guard count <= 1 << 24 else { return }
        let bytes = try [UInt8](capacity: Int(count)) { output in
            try output.fill { try provider.read(into: &$0, atOffset: offset) }
        }
        try require(
            bytes.elementsEqual(expected),
            "read(into:) of \(count) bytes at \(offset) of \(document.count) gave \(bytes.count) bytes, expected \(expected.count)"
        )
    }
}

extension OutputSpan where Element == UInt8 {
    /// Lets `body` fill the free capacity as raw bytes.
    mutating func fill(_ body: (inout OutputRawSpan) throws -> Void) rethrows {
        try unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            // SAFETY: the raw span covers the free part of the buffer and is finalized before the count is raised.
            let all = UnsafeMutableRawBufferPointer(buffer)
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: all[initialized...])
            var output = unsafe OutputRawSpan(buffer: part, initializedCount: 0)
            do { try body(&output) } catch {
                unsafe _ = output.finalize(for: part)
                throw error
            }
            initialized += unsafe output.finalize(for: part)
        }
    }
}
