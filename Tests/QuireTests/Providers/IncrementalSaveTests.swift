import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite struct IncrementalSaveTests {
    private static let document = TestBytes.mixed(3 << 20)
    private static let tail = Data("changes\n".utf8)

    /// A provider of each kind with this document.
    private static func providers(_ document: Data) throws -> [any DataProviding & Sendable] {
        let file = try TemporaryFolder.uniqueFile("plain.pdf")
        try document.write(to: file)
        return [
            try open(store(document, blockSize: 65_536)), DataContainerProvider(data: document),
            FileDataProvider(fileURL: file),
        ]
    }

    @Test(arguments: [1, 4095, 1 << 20, .max], [0, 1, 5000])
    func onlyWhatFollowsTheDocumentIsStored(pieceSize: Int, size: Int) throws {
        // Pieces of one byte are for small documents.
        let document = Self.document.prefix(size == 5000 && pieceSize > 1 ? .max : size)
        for provider in try Self.providers(Data(document)) {
            let save = try IncrementalSave(of: provider)
            var rest = document + Self.tail
            while !rest.isEmpty {
                #expect(save.write(Data(rest.prefix(pieceSize))))
                rest = rest.dropFirst(pieceSize)
            }
            #expect(try provider.data() == document, "before the commit")
            try save.commit()
            #expect(try provider.data() == document + Self.tail)
            if let store = provider as? CompressedDataProvider, size > 0 {
                #expect(try store.history().count == 2, "it is an append")
            }
        }
    }

    @Test(arguments: [0, 1, 65_536, (2 << 20) + 17])
    func otherBytesAreAConflictThatNamesThem(position: Int) throws {
        for provider in try Self.providers(Self.document) {
            let save = try IncrementalSave(of: provider)
            var bytes = Self.document
            bytes[position] ^= 0x20
            #expect(!save.write(bytes))
            #expect((save.failure as? QuireError)?.code == .conflict)
            #expect((save.failure as? QuireError)?.message.contains("byte \(position) ") == true)
            #expect(!save.write(Data()) && !save.finish())
            #expect(code { try save.commit() } == .conflict)
            #expect(try provider.data() == Self.document)
        }
    }

    @Test(arguments: [0, 1, Self.document.count - 1])
    func saveThatIsCutOffIsAConflict(count: Int) throws {
        for provider in try Self.providers(Self.document) {
            let save = try IncrementalSave(of: provider)
            #expect(save.write(Self.document.prefix(count)))
            #expect(!save.finish())
            #expect(code { try save.commit() } == .conflict)
            #expect(try provider.data() == Self.document)
        }
    }

    @Test func saveOfADocumentThatWasSavedMeanwhileIsAConflict() throws {
        for provider in try Self.providers(Self.document) {
            let save = try IncrementalSave(of: provider)
            #expect(save.write(Self.document + Self.tail))
            try provider.save(.append, Data("first".utf8))
            #expect(code { try save.commit() } == .conflict)
            #expect(try provider.data() == Self.document + Data("first".utf8))
            // Nor does a new save take what was written for the older document.
            let late = try IncrementalSave(of: provider)
            #expect(!late.write(Self.document + Self.tail))
        }
    }

    @Test func isCommittedOnce() throws {
        for provider in try Self.providers(Self.document) {
            let save = try IncrementalSave(of: provider)
            #expect(save.write(Self.document + Self.tail) && save.finish())
            #expect(save.options == .append && save.isFinished)
            try save.commit()
            #expect(code { try save.commit() } == .spentSink)
            #expect(!save.write(Data([1])))
            #expect(try provider.data() == Self.document + Self.tail)
        }
    }

    @Test func providerThatCannotBeReadFailsTheSave() throws {
        var stored = try store(Self.document, blockSize: 65_536)
        stored[stored.count / 2] ^= 1
        let save = try IncrementalSave(of: try open(stored))
        #expect(!save.write(Self.document))
        #expect((save.failure as? QuireError)?.code == .damagedBlock)
    }
}
