import Foundation

/// PDFium from opening to the last page, in a process of its own that reads the clock itself: what a person waits for.
struct RenderMeasure {
    let ways: [any Way]
    let shelf: Shelf
    let rounds: Int

    func measure(_ collection: Collection, _ recorder: Recorder) throws -> Measure? {
        let ways: [any Way] = [FileProviderWay()] + ways.filter { $0 is StoreWay }
        var samples: [Sample] = []
        for document in collection.documents where try recorder.trace(.all, of: document) != nil {
            let urls = try ways.map { try shelf.url(of: document, for: $0) }
            var times: [[Double]] = ways.map { _ in [] }
            for _ in 0..<rounds {
                for (way, url) in urls.enumerated() {
                    let output = try recorder.tool.output(["render", url.path])
                    let text = String(decoding: output, as: UTF8.self)
                    guard let time = Double(text.filter { !$0.isNewline }) else {
                        throw BenchError("pdfium-bench says \(text)")
                    }
                    times[way].append(time)
                }
            }
            samples.append(
                Sample(
                    document: document.name, byteCount: document.data.count, operationCount: 1,
                    nanoseconds: times))
        }
        guard !samples.isEmpty else { return nil }
        return Measure(
            key: "render", title: "PDFium opens and draws all pages at 72 dpi, whole time",
            collection: collection.kind, threadCount: 1, note: "60 pages at most",
            ways: ways.map(\.name), samples: samples)
    }
}
