import Foundation
import Quire

// Runs one hot path again and again under callgrind: see Benchmarks/instructions.sh. Everything is the same in each run, so that
// the count is.

/// Words of a made-up language, which deflate to about a quarter; or bytes that do not deflate at all.
func document(byteCount: Int, isText: Bool) -> Data {
    var state: UInt64 = 1
    func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
    let words = (0..<200).map { _ in
        (0..<2 + next() % 8).map { _ in UInt8(97 + next() % 26) } + [32]
    }
    var data = Data(capacity: byteCount + 16)
    while data.count < byteCount {
        if isText {
            data.append(contentsOf: words[Int(min(next() % 200, next() % 200))])
        } else {
            data.append(UInt8(next() >> 8 & 0xff))
        }
    }
    return data.prefix(byteCount)
}

func store(of document: Data) throws -> DataContainerProvider {
    let upstream = DataContainerSink()
    let sink = try CompressedDataSink(upstream)
    guard sink.write(document), sink.finish() else {
        throw sink.failure ?? CocoaError(.fileWriteUnknown)
    }
    return DataContainerProvider(data: upstream.data)
}

func read(_ provider: CompressedDataProvider, into buffer: inout [UInt8], at offset: Int) throws {
    try unsafe buffer.withUnsafeMutableBytes { memory in
        // SAFETY: the span ends before the memory does.
        var output = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
        let result = Result { try provider.read(into: &output, atOffset: UInt64(offset)) }
        unsafe _ = output.finalize(for: memory)
        try result.get()
    }
}

let blockSize = 65_536
let text = document(byteCount: 8 * blockSize, isText: true)

/// What callgrind counts: what every first time costs is outside of it.
@inline(never) func measured(_ count: Int, _ body: (Int) throws -> Void) throws {
    for index in 0..<count { try body(index) }
}

func run(_ path: String, _ count: Int) throws {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let body: (Int) throws -> Void
    switch path {
    case "warm-deflated", "warm-stored":
        let noise = document(byteCount: 8 * blockSize, isText: false)
        let url = URL.temporaryDirectory.appending(path: "hotpaths-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        try store(of: path == "warm-stored" ? noise : text).data().write(to: url)
        let provider = try CompressedDataProvider(url: url)
        _ = try provider.data()
        body = { index in
            // All blocks come up at many offsets, and no read touches two.
            let start = index * 7919 % (blockSize - 4096)
            try read(provider, into: &buffer, at: index * 5 % 8 * blockSize + start)
        }
    case "inflate":
        // The cache keeps one block, and no block is asked for twice in turn.
        let provider = try CompressedDataProvider(
            store(of: text), configuration: .init(cacheByteBudget: 0))
        body = { try read(provider, into: &buffer, at: $0 % 8 * blockSize) }
    case "encode":
        let block = text.prefix(blockSize)
        body = { _ in _ = try store(of: block) }
    case "open":
        let upstream = try store(of: text)
        body = { _ in _ = try CompressedDataProvider(upstream) }
    default: throw CocoaError(.featureUnsupported)
    }
    for index in 0..<8 { try body(index) }
    try measured(count, body)
}

guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]) else {
    print("usage: hotpaths warm-deflated|warm-stored|inflate|encode|open COUNT")
    exit(2)
}
try run(CommandLine.arguments[1], count)
