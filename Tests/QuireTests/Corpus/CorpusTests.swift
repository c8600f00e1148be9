import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("Corpus", .enabled(if: Corpus.isThere, "no corpus of real PDFs"))
struct CorpusTests {
    @Test(arguments: Corpus.documents)
    func everyDocumentComesBackByteForByte(name: String) throws {
        let document = try Corpus.document(name)
        let stored = try store(document, blockSize: 65_536)
        let allowed = document.count + document.count / 500 + 512
        #expect(stored.count <= allowed)
        #expect(try gunzip(stored) == document)
        let url = try TemporaryFolder.uniqueFile("document.gz")
        try stored.write(to: url)
        let provider = try CompressedDataProvider(url: url)
        #expect(try provider.data() == document)
        #expect(try provider.verify().isEmpty)
        let seed = UInt64.random(in: 0 ... .max)
        var random = TestBytes(seed: seed)
        var differences = 0
        for _ in 0..<10_000 {
            let offset = Int.random(in: 0...document.count, using: &random)
            let size = Int.random(
                in: 0...1 << Int.random(in: 0...16, using: &random), using: &random)
            let expected = document[offset..<min(offset + size, document.count)]
            if try provider.read(size, at: offset) != expected { differences += 1 }
        }
        #expect(differences == 0, "seed \(seed)")
    }

    @Test func theSumOfStoresIsCloseToGzip9() throws {
        var sums = (plain: 0, gzip: 0, quire: 0)
        var table =
            "document                                      plain    gzip -9      quire  of gzip\n"
        for name in Corpus.documents {
            let document = try Corpus.document(name)
            let gzip = try run("gzip", "-9nc", input: document).output.count
            let quire = try store(document, level: 9, blockSize: 65_536).count
            sums = (sums.plain + document.count, sums.gzip + gzip, sums.quire + quire)
            table += row(name, document.count, gzip, quire)
        }
        print(table + row("sum of \(Corpus.documents.count)", sums.plain, sums.gzip, sums.quire))
        #expect(Double(sums.quire) <= 1.03 * Double(sums.gzip))
    }

    private func row(_ name: String, _ plain: Int, _ gzip: Int, _ quire: Int) -> String {
        let name = name.prefix(40).padding(toLength: 40, withPad: " ", startingAt: 0)
        let columns = [plain, gzip, quire].map { String(format: "%11d", $0) }.joined()
        return name + columns + String(format: "%9.4f\n", Double(quire) / Double(gzip))
    }
}

@Suite("Saves", .enabled(if: Corpus.hasSaves, "no chains of real saves"))
struct SavesTests {
    @Test(arguments: Corpus.chains)
    func everySaveOfAChainIsThere(name: String) throws {
        let versions = try Corpus.chain(name)
        let url = try TemporaryFolder.uniqueFile("chain.gz")
        let provider = try CompressedDataProvider.create(in: FileDataProvider(fileURL: url))
        try provider.save([], versions[0])
        var document = versions[0]
        for tail in versions.dropFirst() {
            let before = try provider.info().storedSize
            try provider.save(.append, tail)
            document.append(tail)
            // An append costs what it adds, not what is there.
            let cost = try provider.info().storedSize - before
            #expect(cost <= UInt64(tail.count + tail.count / 500 + 512))
            let reopened = try CompressedDataProvider(url: url)
            #expect(try reopened.data() == document && reopened.verify().isEmpty)
        }
        #expect(try gunzip(Data(contentsOf: url)) == document)
        #expect(try provider.history().map(\.documentSize) == sizes(of: versions).reversed())
    }

    private func sizes(of versions: [Data]) -> [UInt64] {
        versions.indices.map { last in
            UInt64(versions[...last].reduce(0) { $0 + $1.count })
        }
    }
}
