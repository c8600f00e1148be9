import Foundation

/// One run of the benchmark.
struct Run {
    private let options: Options
    private let shelf: Shelf
    private let ways: [any Way]
    private let recorder = Recorder()
    private var report: Report

    init(_ options: Options, scratch: URL) throws {
        self.options = options
        shelf = Shelf(in: scratch)
        try PeerLibrary.build()
        let peers = PeerWay.all()
        let known: [any Way] = [MappedWay(), FileProviderWay()] + StoreWay.all + peers.ways
        ways =
            [PreadWay()]
            + known.filter { way in
                options.ways.isEmpty
                    || options.ways.contains { wanted in
                        let isName = known.contains { $0.name == wanted }
                        return isName ? way.name == wanted : way.name.hasPrefix(wanted)
                    }
            }
        report = Report(seed: options.seed, rounds: options.rounds, scratch: scratch.path)
        report.missing += peers.missing
        report.missing += PackMeasure.tools.filter { Tool($0) == nil }.map {
            "\($0): not installed"
        }
        if recorder == nil {
            report.missing.append(
                "PDFium, for replays and rendering: Scripts/fetch-pdfium.sh gets it")
        }
        report.remarks = ways.compactMap { way in way.remark.map { [way.name, $0] } }
    }

    mutating func run() throws {
        let files = try Corpus.files(options.paths)
        guard !files.isEmpty else { throw BenchError("there are no PDFs to measure") }
        say(report.heading)
        for kind in options.collections {
            let collection = try Corpus.collection(
                kind, of: files, limit: options.limit * 1_000_000)
            report.note(collection)
            if collection.documents.isEmpty { continue }
            say(
                "\n# \(collection.kind.title): \(collection.documents.count) documents, "
                    + "\(collection.byteCount / 1000) kB\n")
            let sizes = try Sizes(collection, ways, shelf)
            report.sizes.append(sizes)
            say(sizes.table)
            for key in options.measures { try measure(key, collection) }
        }
        for line in report.missing { say("missing: \(line)") }
        report.finish()
        say(report.ending)
        if let json = options.json { try report.write(to: json) }
    }

    private mutating func measure(_ key: String, _ collection: Collection) throws {
        let start = ContinuousClock.now
        defer { say("(\(Int((ContinuousClock.now - start) / .seconds(1))) s)\n") }
        let ways = ways.filter { !$0.differsInSizeAlone || key == "replay-all" }
        switch key {
        case "open":
            add(try measureOpening(collection, ways, shelf, rounds: options.rounds))
        case "pack":
            add(
                try PackMeasure(ways: ways, shelf: shelf, rounds: options.rounds)
                    .measure(collection))
        case "append":
            add(try AppendMeasure(shelf: shelf, rounds: options.rounds).measure(collection))
        case "render":
            guard let recorder else { return }
            add(
                try RenderMeasure(ways: ways, shelf: shelf, rounds: 3)
                    .measure(collection, recorder))
        case "block-size":
            let sizes = try BlockSizes(
                collection, shelf,
                workloads.filter { ["replay-all", "random-cold"].contains($0.key) },
                rounds: options.rounds, recorder)
            say(sizes.table)
            report.blockSizes.append(sizes)
        default:
            for workload in workloads where workload.key == key {
                let cores = report.machine.coreCount
                for threads in options.threads where threads <= cores {
                    let skipsSlow = threads > 1 || workload.isLong
                    let ways = ways.filter {
                        !(skipsSlow && $0.isSlow || threads > 1 && $0.differsInSizeAlone)
                    }
                    add(
                        try ReadMeasure(
                            workload: workload, threadCount: threads, ways: ways, shelf: shelf,
                            rounds: options.rounds
                        ).measure(collection))
                }
            }
        }
    }

    private var workloads: [Workload] {
        Workload.patterns(seed: options.seed) + (recorder.map(Workload.replays) ?? [])
    }

    private mutating func add(_ measure: Measure?) {
        guard let measure else { return }
        say(measure.table)
        if options.showsDocuments { say(measure.documentTable) }
        report.measures.append(measure)
    }
}
