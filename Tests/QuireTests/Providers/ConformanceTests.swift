import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("Conformance")
struct ConformanceTests {
    static let small = CompressedDataProvider.Configuration(blockSize: 4096)

    static let file = ProviderConformance.Subject("File") {
        let url = try TemporaryFolder.uniqueFile("document")
        try $0.write(to: url)
        return FileDataProvider(fileURL: url)
    }
    static let coordinated = ProviderConformance.Subject("Coordinated") {
        let url = try TemporaryFolder.uniqueFile("document")
        try $0.write(to: url)
        return CoordinatedFileDataProvider(fileURL: url)
    }
    static let container = ProviderConformance.Subject("Container") {
        DataContainerProvider(data: $0)
    }
    static let guide = ProviderConformance.Subject("the guide's example") {
        ExampleDataProvider(data: $0)
    }

    /// A decorator over a provider of stored bytes that begins empty.
    static func compressed(
        _ name: String, over upstream: @escaping @Sendable () throws -> any DataProviding & Sendable
    ) -> ProviderConformance.Subject {
        ProviderConformance.Subject("Compressed(\(name))") {
            try compress($0, into: try upstream())
        }
    }

    static func compress(
        _ document: Data, into upstream: any DataProviding & Sendable
    ) throws -> CompressedDataProvider {
        let provider = try CompressedDataProvider.create(in: upstream, configuration: small)
        try provider.save([], document)
        return provider
    }

    static let subjects = [
        file, container, guide,
        compressed("File") {
            FileDataProvider(fileURL: try TemporaryFolder.uniqueFile("store.gz"))
        },
        compressed("Container") { DataContainerProvider(data: Data()) },
        compressed("the guide's example") { ExampleDataProvider(data: Data()) },
        compressed("Compressed(Container)") {
            try compress(Data(), into: DataContainerProvider(data: Data()))
        },
        compressed("Compressed(File)") {
            try compress(
                Data(), into: FileDataProvider(fileURL: try TemporaryFolder.uniqueFile("two.gz")))
        },
        compressed("Compressed(the guide's example)") {
            try compress(Data(), into: ExampleDataProvider(data: Data()))
        },
        coordinated,
        compressed("Coordinated") {
            CoordinatedFileDataProvider(fileURL: try TemporaryFolder.uniqueFile("store.gz"))
        },
        ProviderConformance.Subject("FaultInjecting(Container)") {
            FaultInjectingProvider(DataContainerProvider(data: $0))
        },
        ProviderConformance.Subject("FaultInjecting(the guide's example)") {
            FaultInjectingProvider(ExampleDataProvider(data: $0))
        },
        compressed("FaultInjecting(File)") {
            let url = try TemporaryFolder.uniqueFile("faults.gz")
            return FaultInjectingProvider(FileDataProvider(fileURL: url))
        },
        compressed("FaultInjecting(the guide's example)") {
            FaultInjectingProvider(ExampleDataProvider(data: Data()))
        },
    ]

    @Test(arguments: subjects, ProviderConformance.rules)
    func everyProviderKeepsTheRules(
        subject: ProviderConformance.Subject, rule: ProviderConformance.Rule
    ) throws {
        try rule.check(subject)
    }

    /// The SDK's callers on 200 appends and 20 replaces, a reader for each core.
    @Test(arguments: subjects.dropFirst(2).prefix(4))
    func readersSeeOnlyWholeRevisions(subject: ProviderConformance.Subject) throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let test = RevisionTest(appends: 200, replaces: 20, blockSize: 4096)
        let tally = try test.run(readers: cores, make: subject.make)
        #expect(tally.commitCount == 220)
        #expect(tally.readCount >= 220 * cores)
    }

    @Test func theGuidesOwnCallersWork() throws {
        let provider: any PSPDFDataProviding = ExampleDataProvider(data: Data("old".utf8))
        let sink = try provider.createDataSink(options: .append)
        #expect(sink.write(Data(" new".utf8)) && sink.finish())
        #expect(provider.replace(with: sink))
        #expect(try provider.data() == Data("old new".utf8))
    }
}
