import Foundation
import Quire

/// Appending the last 4 KiB of the document, durably: by system calls, by the file provider, to the store.
struct AppendMeasure {
    let documents: [Document]
    let rounds: Int
    let scratch: URL

    func measure() throws -> Measure {
        Measure(
            "append of 4 KiB",
            note: "to what the run before left; one fsync on the plain file, two on the store",
            variants: ["pwrite+fsync", "FileDataProvider", "store"],
            facts: ["median growth", "greatest growth"], samples: try documents.map(sample))
    }

    private func sample(_ document: Document) throws -> Sample {
        let urls = ["raw", "plain", "store"].map { scratch.appending(path: "append." + $0) }
        defer { for url in urls { try? FileManager.default.removeItem(at: url) } }
        for (url, source) in zip(urls, [document.url, document.url, document.storeURL]) {
            try Data(contentsOf: source).write(to: url)
        }
        let tail = Data(document.data.suffix(4096))
        let raw = try RawFile(urls[0], O_RDWR)
        let plain = FileDataProvider(fileURL: urls[1])
        let stored = FileDataProvider(fileURL: urls[2])
        let store = try CompressedDataProvider(stored)
        var sizes: [Int] = []
        let times = try interleave(
            [
                Variant(name: "pwrite+fsync") { { try raw.append(tail) } },
                Variant(name: "FileDataProvider") { { try append(tail, to: plain) } },
                Variant(name: "store") {
                    sizes.append(Int(stored.size))
                    return { try append(tail, to: store) }
                },
            ], rounds: rounds, attempts: 1)
        sizes.append(Int(stored.size))
        let expected = document.data + Data((0...rounds).flatMap { _ in tail })
        guard try Data(contentsOf: urls[0]) == expected, try plain.data() == expected,
            try store.data() == expected,
            try CompressedDataProvider(url: urls[2]).data() == expected
        else { throw BenchError("\(document.name): an append is wrong") }
        let growths = zip(sizes.dropFirst(), sizes).map { Double($0 - $1) }
        return Sample(
            document: document.name, byteCount: document.data.count, operationCount: 1,
            nanoseconds: times, facts: [growths.median, growths.max() ?? 0])
    }

    private func append(_ tail: Data, to provider: some DataProviding) throws {
        let sink = try provider.createDataSink(options: .append)
        // A sink that failed says why at the commit.
        _ = sink.write(tail) && sink.finish()
        try provider.replaceContents(with: sink)
    }
}
