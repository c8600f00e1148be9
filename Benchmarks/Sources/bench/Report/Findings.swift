import Foundation

/// The reports of both engines, on all cores and on one, as one.
struct Findings {
    let reports: [Report]
    /// Of each collection, with the ways of all reports.
    private(set) var sizes: [Sizes] = []
    private(set) var measures: [Measure] = []
    let blockSizes: [BlockSizes]
    /// Cores of the reports that had all of them.
    let coreCount: Int

    /// - Parameter reports: at least one; what two of them have measured is taken from the first.
    init(_ reports: [Report]) throws {
        self.reports = reports
        blockSizes = reports.flatMap(\.blockSizes)
        coreCount = reports.map(\.machine.coreCount).max() ?? 1
        for new in reports.flatMap(\.sizes) {
            if let index = sizes.firstIndex(where: { $0.collection == new.collection }) {
                try sizes[index].join(new)
            } else {
                sizes.append(new)
            }
        }
        for new in reports.flatMap(\.measures) {
            if let index = measures.firstIndex(where: { $0.isLike(new) }) {
                try measures[index].join(new)
            } else {
                measures.append(new)
            }
        }
    }

    /// What a build with that engine found on all cores, where ways are of the same rounds.
    func measure(_ key: String, of kind: Collection.Kind, by engine: Engine) -> Measure? {
        reports.lazy.filter { $0.engine == engine }.flatMap(\.measures).first {
            ($0.key, $0.collection, $0.coreCount) == (key, kind, coreCount)
                && ($0.threadCount == 1 || key == "pack")
        }
    }

    /// Stored size, relative to whole-file gzip -9.
    func size(of way: String, in kind: Collection.Kind) -> Double? {
        sizes.first { $0.collection == kind }?.ratioToGzip(of: way)
    }
}
