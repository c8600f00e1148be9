import Quire

/// Opening and closing: open and fstat, the file provider, the store.
func measureOpening(_ documents: [Document], rounds: Int) throws -> Measure {
    func variant(_ name: String, _ open: @escaping () throws -> Void) -> Variant {
        Variant(name: name, repeats: 20) { { for _ in 0..<20 { try open() } } }
    }
    let samples = try documents.map { document in
        let (url, storeURL) = (document.url, document.storeURL)
        let times = try interleave(
            [
                variant("open+fstat") { _ = try RawFile(url) },
                // A file provider opens its file when it is first asked for something.
                variant("FileDataProvider") { _ = FileDataProvider(fileURL: url).size },
                variant("store") { _ = try CompressedDataProvider(url: storeURL) },
            ], rounds: rounds, attempts: 5)
        return Sample(
            document: document.name, byteCount: document.data.count, operationCount: 1,
            nanoseconds: times)
    }
    return Measure(
        "opening and closing", note: "the file provider's part is in the store's",
        variants: ["open+fstat", "FileDataProvider", "store"], samples: samples)
}
