import Foundation
import Quire
import QuireCrypto

/// What libFuzzer tries: stored bytes, as a store, as an encrypted message, and as a reference.
///
/// The first byte chooses. Nothing may trap, hang or give wrong bytes; errors are what most inputs are.
enum Inputs {
    /// What must not be.
    struct Finding: Error, CustomStringConvertible { let description: String }

    static func run(_ input: Data) throws {
        guard let first = input.first else { return }
        let rest = Data(input.dropFirst())
        switch first % 4 {
        case 0, 1: try readStore(rest, seed: UInt64(first))
        case 2: try readMessage(rest)
        default: try readReference(rest)
        }
    }

    /// Opens, looks at everything, reads at random, and appends; what one read gives the other ways have to give, too.
    static func readStore(_ stored: Data, seed: UInt64) throws {
        let upstream = DataContainerProvider(data: stored)
        guard
            let provider = try? CompressedDataProvider(
                upstream, configuration: .init(cacheByteBudget: 1 << 16))
        else { return }
        // What a hostile index claims is not to be allocated at once.
        guard provider.size <= 1 << 24 else {
            _ = try? provider.readData(withSize: 4096, atOffset: provider.size / 2)
            return
        }
        _ = try? provider.info()
        _ = try? provider.blocks()
        _ = try? provider.history()
        let damages = try? provider.verify()
        let document = try? provider.data()
        if damages?.isEmpty == true, document == nil {
            throw Finding(description: "a sound store cannot be read")
        }
        var state = seed &+ UInt64(stored.count)
        for _ in 0..<16 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let offset = provider.size == 0 ? 0 : (state >> 20) % (provider.size + 3)
            let size = (state >> 40) % 9000
            let part = try? provider.readData(withSize: size, atOffset: offset)
            if let document, let part, part != document.dropFirst(Int(offset)).prefix(Int(size)) {
                throw Finding(description: "two reads differ")
            }
            if document != nil, part == nil {
                throw Finding(description: "a range of what can be read cannot be")
            }
        }
        guard let sink = try? provider.createDataSink(options: .append) else { return }
        let tail = Data("appended".utf8)
        guard sink.write(tail), sink.finish(), (try? provider.replaceContents(with: sink)) != nil,
            let document
        else { return }
        guard let again = try? CompressedDataProvider(upstream).data(), again == document + tail
        else { throw Finding(description: "an append is not there") }
    }

    static func readMessage(_ stored: Data) throws {
        let secret = AESCryptoSecret.key { Data(repeating: 7, count: 32) }
        for authentication in [AESCryptoDataProvider.Authentication.beforeFirstRead, .deferred] {
            let provider = AESCryptoDataProvider(
                DataContainerProvider(data: stored), secret: secret,
                authentication: authentication)
            let size = provider.size
            let document = try? provider.data()
            if let document, document.count != Int(size) {
                throw Finding(description: "a size is wrong")
            }
            let part = try? provider.readData(withSize: 100, atOffset: size / 2)
            if let document, part != document.dropFirst(Int(size / 2)).prefix(100) {
                throw Finding(description: "two reads differ")
            }
        }
    }

    static func readReference(_ bytes: Data) throws {
        guard let reference = try? JSONDecoder().decode(DataProviderReference.self, from: bytes)
        else { return }
        // What it names is not opened: it may be any file of this machine.
        _ = try? reference.fileURL()
        guard let encoded = try? JSONEncoder().encode(reference),
            (try? JSONDecoder().decode(DataProviderReference.self, from: encoded)) == reference
        else { throw Finding(description: "a reference is not what it was") }
    }
}
