import Foundation
import Quire

extension ProviderConformance {
    static let savingRules: [Rule] = [
        Rule("a replacement swaps the contents") { subject in
            for size in subject.sizes {
                let provider = try subject.make(TestBytes.mixed(subject.blockSize + 7))
                let replacement = TestBytes.mixed(size, seed: 9)
                try save(provider, [], replacement)
                try requireContents(provider, replacement, "replaced by \(size) bytes")
            }
        },
        Rule("an append continues the contents") { subject in
            for base in subject.sizes {
                var document = TestBytes.mixed(base, seed: 3)
                let provider = try subject.make(document)
                for size in subject.sizes {
                    let tail = TestBytes.mixed(size, seed: UInt64(size) + 4)
                    try save(provider, .append, tail.prefix(size / 3), tail.dropFirst(size / 3))
                    document.append(tail)
                    try requireContents(
                        provider, document, "\(base) bytes and an append of \(size)")
                }
            }
        },
        Rule("a hundred small appends are all there") { subject in
            var document = Data("base".utf8)
            let provider = try subject.make(document)
            for index in 0..<100 {
                let tail = TestBytes.mixed(index * 7 % 50, seed: UInt64(index))
                try save(provider, .append, tail)
                document.append(tail)
            }
            try requireContents(provider, document, "after a hundred appends")
            provider.clearCache()
            try requireContents(provider, document, "opened again after a hundred appends")
        },
        Rule("nothing of a save is seen before its commit, all of it after") { subject in
            for options in [[], .append] as [DataSinkOptions] {
                let document = TestBytes.mixed(2 * subject.blockSize + 5)
                let new = TestBytes.mixed(3 * subject.blockSize, seed: 8)
                let provider = try subject.make(document)
                let sink = try provider.createDataSink(options: options)
                try requireContents(provider, document, "after createDataSink")
                try require(sink.write(new), "a sink refused bytes")
                try requireContents(provider, document, "after write")
                try fill(sink)
                try requireContents(provider, document, "after finish")
                try provider.replaceContents(with: sink)
                let expected = options.contains(.append) ? document + new : new
                try requireContents(provider, expected, "after replaceContents")
            }
        },
        Rule("a snapshot stays as it was") { subject in
            let document = TestBytes.mixed(2 * subject.blockSize + 5)
            guard let provider = try subject.make(document) as? any SnapshotProviding else {
                return
            }
            let first = try provider.makeSnapshot()
            try save(provider, .append, Data("tail".utf8))
            let second = try provider.makeSnapshot()
            do {
                try requireContents(first, document, "a snapshot from before an append")
                try save(provider, [], Data("replaced".utf8))
                try requireContents(first, document, "a snapshot from before a replacement")
                try requireContents(
                    second, document + Data("tail".utf8), "a snapshot of the append")
            } catch QuireError.Code.snapshotExpired {
                // A decorator over a provider that keeps one version only: the error is the promise.
            }
        },
    ]

    static let sinkRules: [Rule] = [
        Rule("a sink knows its options and whether it is finished") { subject in
            let provider = try subject.make(Data("x".utf8))
            for options in [[], .append] as [DataSinkOptions] {
                let sink = try provider.createDataSink(options: options)
                try require(sink.options == options, "options are \(sink.options)")
                try require(!sink.isFinished, "a new sink is finished")
                try fill(sink)
                try require(sink.isFinished, "a finished sink is not")
            }
        },
        Rule("a dropped sink leaves nothing") { subject in
            let document = TestBytes.mixed(subject.blockSize)
            let provider = try subject.make(document)
            for options in [[], .append] as [DataSinkOptions] {
                for isFinished in [false, true] {
                    let sink = try provider.createDataSink(options: options)
                    try require(sink.write(Data("dropped".utf8)), "a sink refused bytes")
                    if isFinished { try fill(sink) }
                }
            }
            provider.clearCache()
            try requireContents(provider, document, "after dropped sinks")
        },
        Rule("an unfinished sink is refused") { subject in
            try refuses(subject, .unfinishedSink) { provider in
                let sink = try provider.createDataSink(options: .append)
                _ = sink.write(Data("unfinished".utf8))
                return sink
            }
        },
        Rule("a sink written to after it was finished is refused") { subject in
            for options in [[], .append] as [DataSinkOptions] {
                try refuses(subject, .writeAfterFinish) { provider in
                    let sink = try provider.createDataSink(options: options)
                    try fill(sink, Data("first".utf8))
                    try require(!sink.write(Data("late".utf8)), "a finished sink took bytes")
                    return sink
                }
            }
        },
        Rule("a sink of another provider is refused") { subject in
            try refuses(subject, .foreignSink) { _ in
                let sink = try subject.make(Data("other".utf8)).createDataSink(options: [])
                try fill(sink, Data("foreign".utf8))
                return sink
            }
            try refuses(subject, .foreignSink) { _ in UnknownSink() }
        },
        Rule("a sink is committed once") { subject in
            let provider = try subject.make(Data("base".utf8))
            let sink = try provider.createDataSink(options: .append)
            try fill(sink, Data(" once".utf8))
            try provider.replaceContents(with: sink)
            do {
                try provider.replaceContents(with: sink)
                throw Failure(description: "a sink was committed twice")
            } catch is QuireError {}
            try requireContents(provider, Data("base once".utf8), "after a second commit")
        },
        Rule("of two saves on one base the second is a conflict") { subject in
            for first in [[], .append] as [DataSinkOptions] {
                for second in [[], .append] as [DataSinkOptions] {
                    let provider = try subject.make(Data("base".utf8))
                    let sinks = try [first, second].map {
                        try provider.createDataSink(options: $0)
                    }
                    for sink in sinks { try fill(sink, Data(" tail".utf8)) }
                    try provider.replaceContents(with: sinks[0])
                    let contents = try provider.data()
                    try requireError(.conflict, "a save on an old base") {
                        try provider.replaceContents(with: sinks[1])
                    }
                    try requireContents(provider, contents, "after a conflict")
                    try save(provider, .append, Data("!".utf8))
                    try requireContents(provider, contents + Data("!".utf8), "saved again")
                }
            }
        },
    ]

    /// Checks that committing the sink that `make` gives throws, and leaves the document as it was.
    private static func refuses(
        _ subject: Subject, _ code: QuireError.Code,
        _ make: (any DataProviding) throws -> any DataSink
    ) throws {
        let document = TestBytes.mixed(subject.blockSize + 3)
        let provider = try subject.make(document)
        let sink = try make(provider)
        try requireError(code, "replaceContents") { try provider.replaceContents(with: sink) }
        try requireContents(provider, document, "after \(code)")
    }
}

/// A sink that no provider knows.
private final class UnknownSink: DataSink {
    let isFinished = true
    let options: DataSinkOptions = []
    func write(_ data: Data) -> Bool { true }
    func finish() -> Bool { true }
}
