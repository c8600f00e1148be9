import Foundation
import QuireTesting
import Testing

@testable import Quire

/// What PDFium does with the structures before it loads a page, without PDFium.
@Suite struct PDFiumAvailabilityTests {
    private static let blockSize = 4096
    private static let document = Data(TestBytes.mixed(200_000).prefix(200_000))

    private static func store() throws -> (CompressedDataProvider, WatchedUpstream) {
        let upstream = WatchedUpstream(try QuireTests.store(document, blockSize: blockSize))
        let provider = try CompressedDataProvider(upstream)
        upstream.resetCounts()
        return (provider, upstream)
    }

    @Test func nothingIsAvailableUntilItWasAskedFor() throws {
        let availability = PDFiumAvailability(try Self.store().0)
        let (avail, hints) = (FileAvail(availability), Hints(availability))
        #expect(avail.version == 1 && hints.version == 1)
        #expect(!avail.has(0, 1))
        hints.add(1000, 1000)
        #expect(avail.has(1000, 1000) && avail.has(1999, 1))
        #expect(!avail.has(999, 2) && !avail.has(1999, 2) && !avail.has(0, 200_000))
        hints.add(2000, 3000)
        #expect(avail.has(1000, 4000))
        hints.add(0, 200_000)
        #expect(avail.has(0, 200_000))
    }

    @Test(arguments: [(200_000, 1), (.max, .max), (1, .max), (-1, 5), (0, 0), (199_999, 100)])
    func rangesOutsideTheDocumentNeedNothing(offset: Int, size: Int) throws {
        let (store, _) = try Self.store()
        let availability = PDFiumAvailability(store)
        Hints(availability).add(offset, size)
        #expect(FileAvail(availability).has(offset, size))
        Hints(availability).add(0, .max)
        #expect(FileAvail(availability).has(0, -1))
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.activeProcessorCount > 1,
            "one core has nothing to load ahead with"))
    func whatWasAskedForIsReadFromTheCache() throws {
        let (store, upstream) = try Self.store()
        // A block that is deflated as a whole, so that all of it comes from the cache.
        let block = try #require(
            try store.blocks().first { !$0.isStored && $0.memberSize < Self.blockSize / 3 })
        let availability = PDFiumAvailability(store)
        Hints(availability).add(Int(block.offset), block.size)
        for _ in 0..<5000 where upstream.counts.byteCount == 0 {
            Thread.sleep(forTimeInterval: 0.001)
        }
        #expect(upstream.counts.readCount == 1, "it is loaded in the background")
        // One read of the block is enough, this one waits for it if it is not there yet.
        let read = try store.readData(withSize: UInt64(block.size), atOffset: block.offset)
        #expect(read == Self.document.dropFirst(Int(block.offset)).prefix(block.size))
        #expect(upstream.counts.readCount == 1)
    }

    @Test func missingParameterIsHarmless() throws {
        let availability = PDFiumAvailability(try Self.store().0)
        #expect(FileAvail(availability).isDataAvail(nil, 0, 1) != 0)
        Hints(availability).addSegment(nil, 0, 1)
        #expect(!FileAvail(availability).has(0, 1))
    }
}

/// FX_FILEAVAIL as fpdf_dataavail.h declares it.
@safe private struct FileAvail {
    let version: CInt
    let isDataAvail: @convention(c) (UnsafeMutableRawPointer?, Int, Int) -> CInt
    private var pointer: UnsafeMutableRawPointer?

    init(_ availability: PDFiumAvailability) {
        // SAFETY: the layout is that of the C structure: an int, a word that is ours here.
        self = unsafe availability.fileAvail.load(as: FileAvail.self)
        unsafe pointer = availability.fileAvail
    }

    func has(_ offset: Int, _ size: Int) -> Bool { unsafe isDataAvail(pointer, offset, size) != 0 }
}

/// FX_DOWNLOADHINTS, likewise.
@safe private struct Hints {
    let version: CInt
    let addSegment: @convention(c) (UnsafeMutableRawPointer?, Int, Int) -> Void
    private var pointer: UnsafeMutableRawPointer?

    init(_ availability: PDFiumAvailability) {
        // SAFETY: as above.
        self = unsafe availability.downloadHints.load(as: Hints.self)
        unsafe pointer = availability.downloadHints
    }

    func add(_ offset: Int, _ size: Int) { unsafe addSegment(pointer, offset, size) }
}
