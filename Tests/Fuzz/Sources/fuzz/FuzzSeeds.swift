import Foundation
import Quire
import QuireCrypto
import QuireTesting

/// Small stores, messages and references that the writers make: what mutations begin with.
enum FuzzSeeds {
    struct Seed: Sendable, CustomStringConvertible {
        let description: String
        let input: Data
    }

    static let all: [Seed] = {
        var seeds: [Seed] = []
        func add(_ name: String, _ kind: UInt8, _ make: () throws -> Data) {
            guard let data = try? make() else { return }
            seeds.append(Seed(description: name, input: Data([kind]) + data))
        }
        let document = TestBytes.mixed(6000)
        add("empty", 0) { try store([Data()]) }
        add("small", 0) { try store([Data("a document".utf8)]) }
        add("mixed", 0) { try store([document]) }
        add("stored", 1) { try store([TestBytes.noise(3000)]) }
        add("appended", 1) { try store([document] + (1..<7).map { TestBytes.mixed(300 * $0) }) }
        add("message", 2) {
            let upstream = DataContainerProvider(data: Data())
            let secret = AESCryptoSecret.key { Data(repeating: 7, count: 32) }
            try save(document, [], AESCryptoDataProvider(upstream, secret: secret))
            return try upstream.data()
        }
        add("reference", 3) {
            try JSONEncoder().encode(
                DataProviderReference(
                    kind: "compressed", options: ["level": "6"],
                    upstream: .init(kind: "file", path: "~/a.pdf")))
        }
        return seeds
    }()

    /// A document and what is appended to it.
    private static func store(_ parts: [Data]) throws -> Data {
        let upstream = DataContainerProvider(data: Data())
        let provider = try CompressedDataProvider.create(
            in: upstream, configuration: .init(blockSize: 1024))
        for (number, part) in parts.enumerated() {
            try save(part, number == 0 ? [] : .append, provider)
        }
        return try upstream.data()
    }

    private static func save(
        _ data: Data, _ options: DataSinkOptions, _ provider: any DataProviding
    ) throws {
        let sink = try provider.createDataSink(options: options)
        // A sink that failed says why at the commit.
        _ = sink.write(data) && sink.finish()
        try provider.replaceContents(with: sink)
    }
}
