import Foundation
import PDFiumRuntime
import Quire

/// What a person does with a document, as far as a renderer sees it. Each begins by opening it.
enum Session: String, CaseIterable {
    case open, first, all, jumps

    /// A renderer shows what PDFium draws at 72 dpi; of long documents the first 60 pages stand for all.
    ///
    /// - Returns: the pages that were drawn, one drawn twice as two.
    @discardableResult
    func run(on document: PDFiumDocument) throws -> Int {
        let pageCount = document.pageCount
        guard pageCount > 0 else { return 0 }
        var pages: [Int] = []
        switch self {
        case .open: break
        case .first: pages = [0]
        case .all: pages = Array(0..<min(pageCount, 60))
        case .jumps:
            // Knuth's generator: the same pages whenever a trace is recorded.
            var state: UInt64 = 1
            pages = (0..<20).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int((state >> 33) % UInt64(pageCount))
            }
        }
        for page in pages {
            // A page that PDFium refuses is one that it has read all the same.
            do { _ = try document.render(page: page, scale: 1) } catch is PDFiumError {}
        }
        return pages.count
    }
}
