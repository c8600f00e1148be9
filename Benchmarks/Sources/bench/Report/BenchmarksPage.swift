/// Docs/BENCHMARKS.md.
struct BenchmarksPage {
    let report: Report
    init(_ report: Report) { self.report = report }
    func write() throws {}
}
