import Foundation
import Quire

/// Appending the last 4 KiB of the document, durably: by system calls, by the file provider, to the store.
struct AppendMeasure {
    let shelf: Shelf
    let rounds: Int
    private let way = StoreWay.all[0]

    func measure(_ collection: Collection) throws -> Measure? {
        guard !collection.documents.isEmpty else { return nil }
        return Measure(
            key: "append", title: "append of 4 KiB", collection: collection.kind, threadCount: 1,
            note: "to what the run before left; one fsync on the plain file, two on the store",
            ways: ["pwrite+fsync", "FileDataProvider", way.name],
            samples: try collection.documents.map(sample))
    }

    private func sample(_ document: Document) throws -> Sample {
        let urls = ["raw", "plain", "store"].map { shelf.folder.appending(path: "append." + $0) }
        defer { for url in urls { try? FileManager.default.removeItem(at: url) } }
        let stores = try shelf.url(of: document, for: way)
        for (url, source) in zip(urls, [document.url, document.url, stores]) {
            try Data(contentsOf: source).write(to: url)
        }
        let tail = Data(document.data.suffix(4096))
        let raw = try RawFile(urls[0], O_RDWR)
        let plain = FileDataProvider(fileURL: urls[1])
        let store = try way.provider(
            FileDataProvider(fileURL: urls[2]), cacheByteBudget: ReadMeasure.cacheByteBudget)
        var appended = 0
        let times = try interleave(
            [
                Variant(name: "pwrite+fsync") {
                    appended += 1
                    return { try raw.append(tail) }
                },
                Variant(name: "FileDataProvider") { { try append(tail, to: plain) } },
                Variant(name: "store") { { try append(tail, to: store) } },
            ], Effort(rounds: rounds, attempts: 1, budget: .seconds(60)))
        let expected = document.data + Data((0..<appended).flatMap { _ in tail })
        guard try Data(contentsOf: urls[0]) == expected, try plain.data() == expected,
            try store.data() == expected,
            try CompressedDataProvider(url: urls[2]).data() == expected
        else { throw BenchError("\(document.name): an append is wrong") }
        return Sample(
            document: document.name, byteCount: document.data.count, operationCount: 1,
            nanoseconds: times)
    }

    private func append(_ tail: Data, to provider: some DataProviding) throws {
        let sink = try provider.createDataSink(options: .append)
        // A sink that failed says why at the commit.
        _ = sink.write(tail) && sink.finish()
        try provider.replaceContents(with: sink)
    }
}
