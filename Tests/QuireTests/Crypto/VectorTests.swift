import Foundation
import Quire
import QuireTesting
import Testing

@testable import QuireCrypto

/// Vectors that are not part of the project, where they are there: in `$QUIRE_VECTORS`, or in a folder beside it.
enum Vectors {
    static let folder = Corpus.place("QUIRE_VECTORS", "vectors/rncryptor")
    static func cases(_ name: String) -> [VectorCase] {
        VectorCase.all(in: folder.appendingPathComponent(name))
    }

    static let kdf = cases("v3/kdf")
    static let key = cases("v3/key")
    static let password = cases("v3/password")
    static let older = cases("v1/password") + cases("v2/password")
    static let derived = cases("derived/nutrient-forms.txt").filter { $0["form"] != "kdf-legacy" }
    static let areThere = !kdf.isEmpty
}

@Suite("Vectors of RNCryptor", .enabled(if: Vectors.areThere, "QUIRE_VECTORS has no vectors"))
struct PublishedVectorTests {
    @Test func thereAreSixteenAndFifteenDerivedOnes() {
        #expect(Vectors.kdf.count + Vectors.key.count + Vectors.password.count == 16)
        #expect(Vectors.derived.count == 15)
    }

    @Test(arguments: Vectors.kdf)
    func keysAreDerived(vector: VectorCase) throws {
        let key = try MessageKeys.derive(
            from: Data(vector["password"].utf8), salt: vector.bytes("salt_hex"), rounds: 10_000)
        #expect(try Data(key.withBytes { $0.bytes }) == vector.bytes("key_hex"))
    }

    @Test func theLegacyKeyIsDerived() throws {
        let vector = try #require(
            Vectors.cases("derived/nutrient-forms.txt").first { $0["form"] == "kdf-legacy" })
        let key = try Cryptor().legacyKey(fromPassphrase: vector["password"], salt: vector["salt"])
        #expect(try key == vector.bytes("key_hex"))
    }

    @Test(arguments: Vectors.key)
    func messagesOfTheKeyFormOpen(vector: VectorCase) throws {
        let keys = (
            encryption: try vector.bytes("enc_key_hex"),
            authentication: try vector.bytes("hmac_key_hex")
        )
        try check(vector, .keys { keys }, "ciphertext_hex")
    }

    @Test(arguments: Vectors.password)
    func messagesOfThePasswordFormOpen(vector: VectorCase) throws {
        try check(vector, .passphrase { vector["password"] }, "ciphertext_hex")
    }

    @Test(arguments: Vectors.derived)
    func messagesOfTheSDKsFormsOpen(vector: VectorCase) throws {
        let password = vector["password"]
        guard vector["form"] == "shared-key" else {
            return try check(vector, .passphrase { password }, "message_hex")
        }
        let rounds = try #require(UInt(vector["rounds"]))
        try check(
            vector,
            .passphrase({ Data(password.utf8) }, salt: Data(vector["salt"].utf8), rounds: rounds),
            "message_hex")
        let key = try vector.bytes("key_hex")
        try check(vector, .key { key }, "message_hex")
    }

    @Test(arguments: Vectors.older)
    func messagesOfVersions1And2AreRefusedByName(vector: VectorCase) throws {
        let password = vector["password"]
        let provider = decrypt(try vector.bytes("ciphertext_hex"), .passphrase { password })
        let found = code { _ = try provider.read(1, at: 0) }
        #expect(found == .unsupportedVersion && provider.size == 0)
    }
}

/// Opens a message by a secret, in memory and at every offset.
private func check(_ vector: VectorCase, _ secret: AESCryptoSecret, _ name: String) throws {
    let document = try vector.bytes("plaintext_hex")
    let provider = decrypt(try vector.bytes(name), secret)
    #expect(try provider.data() == document)
    #expect(provider.size == UInt64(document.count))
    for offset in 0...document.count {
        #expect(try provider.read(20, at: offset) == document.dropFirst(offset).prefix(20))
    }
}

@Suite("Messages of the project's own")
struct MessageFixtureTests {
    static let cases = VectorCase.all(
        in: FormatTests.root.appendingPathComponent("Tests/Fixtures/crypto/messages.txt"))

    @Test func thereAreSixOfEachForm() {
        for form in ["password", "salt", "keys"] {
            #expect(Self.cases.filter { $0["form"] == form }.count == 6)
        }
    }

    @Test(arguments: cases)
    func messagesOfAnotherImplementationOpen(vector: VectorCase) throws {
        let password = vector["password"]
        switch vector["form"] {
        case "password": try check(vector, .passphrase { password }, "message_hex")
        case "salt":
            let (salt, rounds) = (Data(vector["salt"].utf8), UInt(vector["rounds"]) ?? 0)
            try check(
                vector, .passphrase({ Data(password.utf8) }, salt: salt, rounds: rounds),
                "message_hex")
        default:
            let keys = (
                encryption: try vector.bytes("enc_key_hex"),
                authentication: try vector.bytes("hmac_key_hex")
            )
            try check(vector, .keys { keys }, "message_hex")
        }
    }
}

extension RawSpan {
    var bytes: [UInt8] {
        (0..<byteCount).map { unsafe unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}
