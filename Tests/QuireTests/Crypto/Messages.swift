import Foundation
import QuireCrypto
import Testing

@testable import Quire

/// A case of a file of vectors: `name: value` lines, up to an empty one.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let fields: [String: String]

    var testDescription: String { self["title"] }
    subscript(_ name: String) -> String { fields[name] ?? "" }
    func bytes(_ name: String) throws -> Data { try Data(hex: self[name]) }

    /// The cases of a file, in its order.
    static func all(in url: URL) -> [VectorCase] {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        var cases: [VectorCase] = []
        var fields: [String: String] = [:]
        for line in text.components(separatedBy: "\n") + [""] {
            let words = line.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            if line.isEmpty, !fields.isEmpty {
                cases.append(VectorCase(fields: fields))
                fields = [:]
            } else if !line.hasPrefix("#"), let name = words.first {
                fields[name] = words.count > 1 ? words[1] : ""
            }
        }
        return cases
    }
}

extension Data {
    /// Bytes of hexadecimal digits, with spaces or without.
    init(hex: String) throws {
        let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        try #require(digits.count % 2 == 0)
        self.init(
            stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        )
    }
}

extension AESCryptoSecret {
    /// A key that costs no PBKDF2.
    static let quick = AESCryptoSecret.key { Data(0..<32) }
    static let wrongKey = AESCryptoSecret.key { Data(1..<33) }
    static let word = AESCryptoSecret.passphrase { "correct horse" }
}

/// The message of a document, in memory.
func message(_ document: Data, _ secret: AESCryptoSecret = .quick) throws -> Data {
    let upstream = DataContainerProvider(data: Data())
    try AESCryptoDataProvider(upstream, secret: secret).save([], document)
    return try upstream.data()
}

/// A provider over a message in memory.
func decrypt(
    _ message: Data, _ secret: AESCryptoSecret = .quick,
    _ authentication: AESCryptoDataProvider.Authentication = .beforeFirstRead
) -> AESCryptoDataProvider {
    AESCryptoDataProvider(
        DataContainerProvider(data: message), secret: secret, authentication: authentication)
}
