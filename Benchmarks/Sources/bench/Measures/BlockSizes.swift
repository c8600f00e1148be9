import Foundation
import Quire

/// Stores of the default setting in blocks of several sizes: what decides the default size.
struct BlockSizes: Codable {
    static let byteCounts = (14...20).map { 1 << $0 }

    let sizes: Sizes
    /// Replays of all pages and random reads, nothing cached; without the former where PDFium is not here.
    let measures: [Measure]
    /// Bytes that replays of all pages inflate for each page, by size; empty without PDFium.
    let inflatedBytesPerPage: [Double]

    init(
        _ collection: Collection, _ shelf: Shelf, _ workloads: [Workload], rounds: Int,
        _ recorder: Recorder?
    ) throws {
        let ways = Self.byteCounts.map(StoreWay.init(blockSize:))
        sizes = try Sizes(collection, ways, shelf)
        measures = try workloads.compactMap { workload in
            try ReadMeasure(
                workload: workload, threadCount: 1, ways: [PreadWay()] + ways, shelf: shelf,
                rounds: rounds
            ).measure(collection)
        }
        guard let recorder else {
            inflatedBytesPerPage = []
            return
        }
        let traces = try collection.documents.compactMap { document in
            try recorder.trace(.all, of: document).map { (document, $0) }
        }
        let pageCount = traces.reduce(0) { $0 + $1.1.pageCount }
        inflatedBytesPerPage = try ways.map { way in
            let byteCount = try traces.reduce(0) { sum, entry in
                let stored = try Data(
                    contentsOf: shelf.url(of: entry.0, for: way), options: .alwaysMapped)
                return try sum + InflatedBytes(way, of: stored).count(replaying: entry.1.reads)
            }
            return Double(byteCount) / Double(pageCount)
        }
    }
}
