import Foundation
import Quire
import QuireTesting
import Synchronization
import Testing

/// What PDFium does with the structure, without PDFium. Numbers in brackets are those of the complaints about other
/// bridges that a test stands for.
@Suite struct PDFiumFileAccessTests {
    private static let blockSize = 1024
    private static let document = Data(ProbeProvider.bytes(0..<5 * 1024 + 300))
    private let store: CompressedDataProvider

    init() throws { store = try makeStore(Self.document, blockSize: Self.blockSize) }

    @Test func lengthIsTheDocumentsNotTheStoredOne() throws {  // [36]
        let access = try PDFiumFileAccess(store)
        #expect(FileAccess(access).length == Self.document.count)
        #expect(access.size == UInt64(Self.document.count))
        #expect(try store.info().storedSize != access.size)
    }

    @Test func wholeDocumentIsGivenInOneCall() throws {
        let access = try PDFiumFileAccess(store)
        #expect(FileAccess(access).block(0, Self.document.count) == [UInt8](Self.document))
        #expect(access.error == nil)
    }

    @Test func everyRangeAroundEveryBoundaryIsExact() throws {
        let access = try PDFiumFileAccess(store)
        let file = FileAccess(access)
        let count = Self.document.count
        let positions = stride(from: 0, through: count, by: Self.blockSize).flatMap {
            ($0 - 1...$0 + 1)
        }
        for start in positions + [count - 1, count] where 0...count ~= start {
            for end in positions + [start + 1, start + 512, count] where start...count ~= end {
                #expect(
                    file.block(UInt(start), end - start) == [UInt8](Self.document[start..<end]),
                    "\(start)..<\(end)")
            }
        }
    }

    @Test(
        arguments: [
            (0, 5421), (5420, 1), (5419, 2), (5421, 0), (5421, 1), (1 << 32, 1), (UInt.max, 1),
            (1, UInt.max), (UInt.max, UInt.max), (UInt(Int.max), 512), (0, UInt(Int.max)),
        ] as [(UInt, UInt)])
    func nothingOutsideTheDocumentIsGiven(position: UInt, size: UInt) throws {  // [37]
        let access = try PDFiumFileAccess(store)
        var untouched: UInt8 = 0xA5
        #expect(unsafe FileAccess(access).call(position, &untouched, size) == 0)
        #expect(untouched == 0xA5)
        #expect(access.takeError().code == .invalidArgument)
    }

    @Test func nothingIsGivenWhenNothingIsAsked() throws {
        let access = try PDFiumFileAccess(store)
        #expect(FileAccess(access).block(0, 0) == [])
        #expect(FileAccess(access).block(UInt(Self.document.count), 0) == [])
        let empty = try PDFiumFileAccess(DataContainerProvider(data: Data()))
        #expect(FileAccess(empty).length == 0)
        #expect(FileAccess(empty).block(0, 0) == [])
        #expect(FileAccess(empty).block(0, 1) == nil)
    }

    @Test func missingMemoryAndMissingParameterAreRefused() throws {  // [37]
        let access = try PDFiumFileAccess(store)
        var file = FileAccess(access)
        #expect(unsafe file.call(0, nil, 1) == 0)
        unsafe file.param = nil
        #expect(file.block(0, 1) == nil)
    }

    @Test func copyOfTheStructureWorksWhenTheStructureIsOverwritten() throws {  // [37]
        let access = try PDFiumFileAccess(store)
        let copy = FileAccess(access)
        // SAFETY: the memory is the structure's, and nothing but this test reads it.
        unsafe access.pointer.initializeMemory(
            as: UInt8.self, repeating: 0xFF, count: MemoryLayout<FileAccess>.size)
        #expect(copy.block(1000, 100) == [UInt8](Self.document[1000..<1100]))
    }

    @Test func objectIsFreedWithItsSnapshot() throws {
        let provider = ProbeProvider(size: 10)
        weak let released: PDFiumFileAccess?
        do {
            let access = try PDFiumFileAccess(provider)
            released = access
            #expect(FileAccess(access).block(0, 10) != nil)
        }
        #expect(released == nil)
    }

    // MARK: Faults of the provider

    @Test func errorOfTheProviderIsKeptUntilTaken() throws {
        let provider = ProbeProvider(size: 100)
        let access = try PDFiumFileAccess(provider)
        provider.isFailing = true
        #expect(FileAccess(access).block(0, 100) == nil)
        provider.isFailing = false
        #expect(FileAccess(access).block(0, 100) != nil)
        #expect(access.error is ProbeProvider.Fault)
        #expect(access.takeError() is ProbeProvider.Fault)
        #expect(access.takeError() == nil)
    }

    @Test(arguments: [1, 7, 511, 512, 513])
    func shortReadsAreContinued(bytesPerRead: Int) throws {  // [36]
        let access = try PDFiumFileAccess(ProbeProvider(size: 2000, bytesPerRead: bytesPerRead))
        #expect(FileAccess(access).block(3, 1997) == ProbeProvider.bytes(3..<2000))
    }

    @Test func documentThatShrankIsNeverHalfGiven() throws {
        let provider = ProbeProvider(size: 2000)
        let access = try PDFiumFileAccess(provider)
        provider.size = 1000
        #expect(FileAccess(access).block(900, 200) == nil)
        #expect(access.takeError().code == .snapshotExpired)
    }

    @Test func damagedBlockIsNotGiven() throws {
        let memory = DataContainerProvider(data: Data())
        let sound = try CompressedDataProvider.create(
            in: memory, configuration: .init(blockSize: Self.blockSize))
        try sound.save([], Self.document)
        let block = try sound.blocks()[2]
        var stored = try memory.data()
        stored[Int(block.fileOffset) + block.memberSize - 20] ^= 1
        let store = try CompressedDataProvider(DataContainerProvider(data: stored))
        let access = try PDFiumFileAccess(store)
        let file = FileAccess(access)
        #expect(file.block(2000, 512) == nil)
        #expect(access.takeError().code == .damagedBlock)
        #expect(file.block(0, 2048) == [UInt8](Self.document[..<2048]))
    }

    @Test func unfinishedDocumentIsRefused() throws {
        let provider = DataContainerProvider(
            data: Self.document, progress: Progress(totalUnitCount: 1))
        let error = #expect(throws: QuireError.self) { try PDFiumFileAccess(provider) }
        #expect(error?.code == .dataProviderIsInFlight)
    }

    // MARK: Saves

    @Test func openDocumentKeepsItsVersionThroughSaves() throws {
        let old = try PDFiumFileAccess(store)
        try store.save(.append, Data("more".utf8))
        let appended = try PDFiumFileAccess(store)
        try store.save([], Data("new".utf8))
        let new = try PDFiumFileAccess(store)
        let count = Self.document.count
        #expect(FileAccess(old).length == count)
        #expect(FileAccess(old).block(0, count) == [UInt8](Self.document))
        #expect(FileAccess(old).block(UInt(count), 4) == nil)
        #expect(FileAccess(appended).block(UInt(count), 4) == [UInt8]("more".utf8))
        #expect(FileAccess(new).block(0, 3) == [UInt8]("new".utf8))
    }

    // MARK: Size

    @Test func bytesBeyondFourGiBAreTheRightOnes() throws {  // [40]
        let access = try PDFiumFileAccess(ProbeProvider(size: 6 << 30))
        let file = FileAccess(access)
        for start in [1 << 31, 1 << 32, 6 << 30] as [UInt64] {
            let range = start - 512..<start
            #expect(file.block(UInt(range.lowerBound), 512) == ProbeProvider.bytes(range))
        }
        #expect(file.block((6 << 30) - 1, 2) == nil)
    }

    @Test(arguments: [UInt64(Int64.max) + 1, .max])
    func sizeThatPDFiumCannotCountIsRefused(size: UInt64) throws {  // [40]
        let provider = ProbeProvider(size: size)
        let error = #expect(throws: QuireError.self) { try PDFiumFileAccess(provider) }
        #expect(error?.code == .limitExceeded)
        #expect(try PDFiumFileAccess(ProbeProvider(size: UInt64(Int64.max))).size == Int64.max)
    }

    // MARK: State

    @Test func manyThreadsReadAtOnce() throws {  // [39]
        let access = try PDFiumFileAccess(store)
        let failures = Atomic(0)
        let count = Self.document.count
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var random = TestBytes(seed: UInt64(thread))
            for _ in 0..<500 {
                let start = Int.random(in: 0..<count, using: &random)
                let end = Int.random(in: start...count, using: &random)
                let block = FileAccess(access).block(UInt(start), end - start)
                if block != [UInt8](Self.document[start..<end]) {
                    failures.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test func openDocumentsDoNotKnowOfOneAnother() throws {  // [36], [39]
        let other = Data(Self.document.reversed())
        let accesses = try [
            PDFiumFileAccess(store), PDFiumFileAccess(makeStore(other)), PDFiumFileAccess(store),
        ]
        let documents = [Self.document, other, Self.document]
        for start in stride(from: 0, to: Self.document.count - 100, by: 100) {
            for (access, document) in zip(accesses, documents) {
                let block = FileAccess(access).block(UInt(start), 100)
                #expect(block == [UInt8](document[start..<start + 100]))
            }
        }
        // The end that one reached is not the end of another.
        #expect(FileAccess(accesses[0]).block(UInt(Self.document.count), 1) == nil)
        #expect(accesses[2].error == nil)
    }

    @Test func hundredThousandReadsKeepNoMemory() throws {  // [41]
        let provider = LendingProvider()
        let file = try PDFiumFileAccess(provider)
        var buffer = [UInt8](repeating: 0, count: 512)
        // Other tests allocate meanwhile, for seconds at a time. What leaks does so in every round, unlike what they do.
        let growth = try (0..<50).map { _ in
            Thread.sleep(forTimeInterval: 0.1)
            let before = try residentPages()
            for call in 0..<2000 as Range<UInt> {
                unsafe _ = FileAccess(file).call(call * 37 % 3584, &buffer, 512)
            }
            return try residentPages() - before
        }
        #expect(provider.lent == 100_000)
        #expect(provider.returned == 100_000)
        // The address sanitizer keeps what is freed, on purpose.
        if ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil {
            #expect(growth.contains { $0 < 16 }, "pages kept in each round: \(growth)")
        }
    }

    /// Pages of memory that the process has; 0 where there is no /proc.
    private func residentPages() throws -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        else { return 0 }
        return try #require(Int(text.split(separator: " ")[1]))
    }
}

/// Counts the data that it has given away and those that are gone again.
private final class LendingProvider: DataProviding, Sendable {
    let uid = "lending"
    let size: UInt64 = 4096
    private let counts = Mutex((lent: 0, returned: 0))

    var lent: Int { counts.withLock { $0.lent } }
    var returned: Int { counts.withLock { $0.returned } }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        counts.withLock { $0.lent += 1 }
        // SAFETY: the memory belongs to the Data, which gives it to the deallocator.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 1)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(size))
        return unsafe Data(
            bytesNoCopy: memory, count: Int(size),
            deallocator: .custom { [self] memory, _ in
                unsafe memory.deallocate()
                counts.withLock { $0.returned += 1 }
            })
    }
}

/// FPDF_FILEACCESS as fpdfview.h declares it, copied out of the memory as PDFium does.
@safe private struct FileAccess {
    let length: CUnsignedLong
    let getBlock:
        @convention(c) (
            UnsafeMutableRawPointer?, CUnsignedLong, UnsafeMutablePointer<UInt8>?, CUnsignedLong
        ) -> CInt
    var param: UnsafeMutableRawPointer?

    init(_ access: PDFiumFileAccess) {
        // SAFETY: the layout is that of the C structure: three fields of a word each.
        self = unsafe access.pointer.load(as: FileAccess.self)
    }

    func call(
        _ position: CUnsignedLong, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: CUnsignedLong
    ) -> CInt {
        // SAFETY: a test that gives a wrong size expects a refusal.
        unsafe getBlock(param, position, buffer, size)
    }

    /// The block, or nil if it is refused; never a byte more than asked for.
    func block(_ position: CUnsignedLong, _ size: Int) -> [UInt8]? {
        let fence = [UInt8](repeating: 0xA5, count: 32)
        var buffer = fence + [UInt8](repeating: 0, count: size) + fence
        let status = unsafe buffer.withUnsafeMutableBufferPointer {
            unsafe call(position, $0.baseAddress.map { unsafe $0 + fence.count }, UInt(size))
        }
        #expect(buffer.starts(with: fence) && buffer.suffix(32) == fence[...])
        return status == 0 ? nil : [UInt8](buffer.dropFirst(fence.count).dropLast(fence.count))
    }
}

extension (any Error)? {
    fileprivate var code: QuireError.Code? { (self as? QuireError)?.code }
}
