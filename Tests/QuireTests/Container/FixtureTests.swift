import Foundation
import QuireTesting
import Testing

@testable import Quire

/// Stores that released versions wrote. They open for ever.
@Suite("Fixtures")
struct FixtureTests {
    static let folder = FormatTests.root.appendingPathComponent("Tests/Fixtures")

    static func pdf(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent("pdf/\(name)"))
    }

    @Test func version1StoresOpenAndAreReadAsTheyWereWritten() throws {
        let images = try Self.pdf("images.pdf")
        let saves = try (1...3).map { try Self.pdf("saved-\($0).bin") }
        let form = try Self.pdf("form.pdf")
        let expected: [(name: String, document: Data, revision: UInt64)] = [
            ("v1-empty.gz", Data(), 1),
            ("v1-hello.gz", Data("Hello, Quire!\n".utf8), 1),
            ("v1-deflated.gz", try Self.pdf("uncompressed.pdf"), 1),
            ("v1-stored.gz", images[12_000..<20_000], 1),
            ("v1-libdeflate.gz", form + saves[0], 2),  // at its level 12, read by either engine
            ("v1-checked.gz", form + saves[0], 2),  // its footers have a CRC of all blocks
            ("v1-saves.gz", saves.reduce(form, +), 4),
            ("v1-torn.gz", saves[..<2].reduce(form, +), 3),
        ]
        for (name, document, revision) in expected {
            let url = Self.folder.appendingPathComponent("stores/\(name)")
            let provider = try CompressedDataProvider(url: url)
            #expect(try provider.data() == document, "\(name)")
            #expect(try provider.info().revision == revision)
            #expect(try provider.history().count == Int(revision))
            #expect(try provider.verify().isEmpty == (name != "v1-torn.gz"))
            // A later version appends to them, in a copy.
            let copy = DataContainerProvider(data: try Data(contentsOf: url))
            let appended = try CompressedDataProvider(copy)
            try appended.save(.append, Data("more".utf8))
            #expect(try CompressedDataProvider(copy).data() == document + Data("more".utf8))
            #expect(try gunzip(copy.data()) == document + Data("more".utf8))
        }
    }
}
