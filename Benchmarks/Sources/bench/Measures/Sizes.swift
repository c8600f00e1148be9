import Foundation

/// How large each way's files are.
struct Sizes: Codable {
    let collection: Collection.Kind
    let documentBytes: Int
    /// Each document on its own by gzip -9; nil without gzip.
    let gzipBytes: Int?
    private(set) var names: [String]
    private(set) var storedBytes: [Int]

    init(_ collection: Collection, _ ways: [any Way], _ shelf: Shelf) throws {
        let documents = collection.documents
        self.collection = collection.kind
        documentBytes = collection.byteCount
        gzipBytes = try Tool("gzip")?.outputSize(["-9", "-n", "-c"], documents.map(\.url))
        names = ways.map(\.name)
        storedBytes = try ways.map { way in
            guard way.form != nil else { return collection.byteCount }
            return try documents.reduce(0) { try $0 + shelf.storedSize(of: $1, for: way) }
        }
    }

    /// Adds the ways of another run that this one has not, behind its own stores.
    mutating func join(_ other: Sizes) throws {
        guard documentBytes == other.documentBytes else {
            throw BenchError("the sizes are of different documents")
        }
        let new = other.names.indices.filter { !names.contains(other.names[$0]) }
        let place = names.placeBehindStores
        names.insert(contentsOf: new.map { other.names[$0] }, at: place)
        storedBytes.insert(contentsOf: new.map { other.storedBytes[$0] }, at: place)
    }

    /// In hundredths of the documents; nil if the way is not here.
    func percent(of way: String) -> Double? {
        names.firstIndex(of: way).map { 100 * Double(storedBytes[$0]) / Double(documentBytes) }
    }

    /// Relative to whole-file gzip -9.
    func ratioToGzip(of way: String) -> Double? {
        guard let gzipBytes, let way = names.firstIndex(of: way) else { return nil }
        return Double(storedBytes[way]) / Double(gzipBytes)
    }
}
