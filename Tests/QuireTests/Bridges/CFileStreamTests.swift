import Foundation
import Quire
import QuireTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A provider as C's standard library sees it. Numbers in brackets are those of the complaints about other bridges
/// that a test stands for.
@Suite struct CFileStreamTests {
    private static let document = ProbeProvider.bytes(0..<200_003)

    @Test(arguments: [0, 1, 511, 512, 513, 1024, 200_003])
    func documentIsReadFromBeginningToEnd(byteCount: Int) throws {
        let document = [UInt8](Self.document.prefix(byteCount))
        let stream = try Stream(makeStore(Data(document), blockSize: 512))
        #expect(stream.read(byteCount + 1) == document)
        #expect(unsafe feof(stream.file) != 0)
        #expect(unsafe ferror(stream.file) == 0)
        #expect(stream.position == Int64(byteCount))
    }

    @Test func readsAtRandomPositionsAreExact() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = TestBytes(seed: seed)
        let stream = try Stream(makeStore(Data(Self.document)))
        for _ in 0..<2000 {
            let start = Int.random(in: 0...Self.document.count, using: &random)
            let count = Int.random(in: 0...20_000, using: &random)
            let wanted = [UInt8](Self.document[start...].prefix(count))
            #expect(stream.seek(Int64(start)) == 0, "seed \(seed)")
            #expect(stream.read(count) == wanted, "\(count) at \(start), seed \(seed)")
            #expect(stream.position == Int64(start + wanted.count), "seed \(seed)")
        }
    }

    @Test func singleCharactersCanBeReadAndPutBack() throws {
        let stream = try Stream(DataContainerProvider(data: Data("%PDF-1.7".utf8)))
        #expect(unsafe getc(stream.file) == 0x25)
        #expect(unsafe getc(stream.file) == 0x50)
        #expect(unsafe ungetc(0x51, stream.file) == 0x51)
        #expect(stream.position == 1)
        #expect(stream.read(3) == [UInt8]("QDF".utf8))
        #expect(unsafe ungetc(0x21, stream.file) == 0x21)
        #expect(stream.seek(-4, SEEK_END) == 0)
        #expect(stream.read(9) == [UInt8]("-1.7".utf8))
        #expect(unsafe getc(stream.file) == EOF)
    }

    // MARK: Positions

    @Test func positionsBeyondFourGiBAreExact() throws {  // [40]
        let size: Int64 = 6 << 30
        let stream = try Stream(ProbeProvider(size: UInt64(size)))
        for start in [1 << 31, 1 << 32, size - 8] {
            #expect(stream.seek(start - 4) == 0)
            #expect(stream.seek(2, SEEK_CUR) == 0)
            #expect(stream.position == start - 2)
            #expect(stream.read(8) == ProbeProvider.bytes(UInt64(start) - 2..<UInt64(start) + 6))
        }
        #expect(stream.seek(-1, SEEK_END) == 0)
        #expect(stream.position == size - 1)
        #expect(stream.read(2) == ProbeProvider.bytes(UInt64(size) - 1..<UInt64(size)))
    }

    @Test func seekBeforeTheBeginningFailsAndChangesNothing() throws {
        let stream = try Stream(ProbeProvider(size: 1000))
        #expect(stream.seek(100) == 0)
        for (offset, whence) in [(-1, SEEK_SET), (-101, SEEK_CUR), (-1001, SEEK_END)] {
            errno = 0
            #expect(stream.seek(Int64(offset), whence) == -1)
            #expect(errno == EINVAL)
            #expect(stream.position == 100)
        }
        #expect(stream.seek(.max, SEEK_END) == -1)
        #expect(stream.read(5) == ProbeProvider.bytes(100..<105))
    }

    @Test func nothingIsReadPastTheEnd() throws {
        let stream = try Stream(ProbeProvider(size: 1000))
        for position in [1000, 1001, 1 << 40, .max] as [Int64] {
            #expect(stream.seek(position) == 0)
            #expect(stream.position == position)
            #expect(stream.read(10) == [])
            #expect(unsafe feof(stream.file) != 0)
            #expect(unsafe ferror(stream.file) == 0)
        }
        #expect(stream.seek(990) == 0)
        #expect(stream.read(100) == ProbeProvider.bytes(990..<1000))
    }

    @Test func streamsDoNotShareAPosition() throws {  // [39]
        let store = try makeStore(Data(Self.document), blockSize: 512)
        let (one, two) = (try Stream(store), try Stream(store))
        #expect(two.seek(0, SEEK_END) == 0)
        #expect(two.read(1) == [])
        var read: [UInt8] = []
        for _ in 0..<20 {
            read += one.read(10_001)
            #expect(two.seek(7) == 0)
            #expect(two.read(100) == [UInt8](Self.document[7..<107]))
        }
        #expect(read == Self.document)
    }

    @Test func streamsOnManyThreadsReadTheSameStore() throws {
        let store = try makeStore(Data(Self.document), blockSize: 4096)
        let streams = try (0..<8).map { _ in try Stream(store) }
        DispatchQueue.concurrentPerform(iterations: streams.count) { index in
            for _ in 0..<5 {
                #expect(streams[index].seek(0) == 0)
                #expect(streams[index].read(Self.document.count) == Self.document)
            }
        }
    }

    // MARK: Errors and lifetime

    @Test func failedReadIsEIOAndCanBeTriedAgain() throws {
        let provider = ProbeProvider(size: 100_000)
        let stream = try Stream(provider)
        provider.isFailing = true
        errno = 0
        #expect(stream.read(10) == [])
        #expect(errno == EIO)
        #expect(unsafe ferror(stream.file) != 0)
        #expect(unsafe feof(stream.file) == 0)
        provider.isFailing = false
        unsafe clearerr(stream.file)
        #expect(stream.read(10) == ProbeProvider.bytes(0..<10))
    }

    @Test(arguments: [1, 100, 8191]) func shortReadsAreContinued(bytesPerRead: Int) throws {
        let stream = try Stream(ProbeProvider(size: 20_000, bytesPerRead: bytesPerRead))
        #expect(stream.read(30_000) == ProbeProvider.bytes(0..<20_000))
    }

    @Test func documentThatShrankIsAnErrorNotTheEnd() throws {
        let provider = ProbeProvider(size: 100_000)
        let stream = try Stream(provider)
        provider.size = 50_000
        #expect(stream.seek(40_000) == 0)
        errno = 0
        #expect(stream.read(20_000).count < 20_000)
        #expect(errno == EIO)
        #expect(unsafe ferror(stream.file) != 0)
    }

    @Test func streamKeepsItsVersionThroughSaves() throws {
        let store = try makeStore(Data(Self.document), blockSize: 512)
        let old = try Stream(store)
        #expect(old.read(100) == [UInt8](Self.document[..<100]))
        try store.save([], Data("new".utf8))
        let new = try Stream(store)
        #expect(old.read(1 << 20) == [UInt8](Self.document[100...]))
        #expect(new.read(10) == [UInt8]("new".utf8))
    }

    @Test func streamCannotBeWritten() throws {
        let stream = try Stream(ProbeProvider(size: 100))
        errno = 0
        #expect(unsafe fputc(0x41, stream.file) == EOF)
        #expect(errno == EBADF)
    }

    @Test func closingTheStreamLetsGoOfTheProvider() throws {
        weak let provider: ProbeProvider?
        do {
            let stream: Stream
            do {
                let probe = ProbeProvider(size: 100)
                provider = probe
                stream = try Stream(probe)
            }
            #expect(provider != nil)
            #expect(stream.read(1) == ProbeProvider.bytes(0..<1))
        }
        #expect(provider == nil)
    }

    @Test func unfinishedDocumentIsRefused() throws {
        let progress = Progress(totalUnitCount: 1)
        let provider = DataContainerProvider(data: Data(), progress: progress)
        let error = #expect(throws: QuireError.self) { try Stream(provider) }
        #expect(error?.code == .dataProviderIsInFlight)
    }

    @Test func sizeThatCCannotCountIsRefused() throws {
        let provider = ProbeProvider(size: .max)
        let error = #expect(throws: QuireError.self) { try Stream(provider) }
        #expect(error?.code == .limitExceeded)
    }
}

/// A stream that is closed when the test is done with it.
@safe private final class Stream: @unchecked Sendable {
    // SAFETY: a FILE has a lock of its own.
    let file: CFileStream.Pointer

    init(_ provider: any DataProviding & Sendable) throws {
        unsafe file = try CFileStream.open(over: provider)
    }

    deinit { unsafe _ = fclose(file) }

    var position: Int64 { unsafe Int64(ftello(file)) }

    func seek(_ offset: Int64, _ whence: Int32 = SEEK_SET) -> Int32 {
        unsafe fseeko(file, off_t(offset), whence)
    }

    /// As many bytes as fread gives.
    func read(_ byteCount: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: min(byteCount, 1 << 20)) { buffer, count in
            // SAFETY: fread writes at most `buffer.count` bytes, and says how many.
            count = unsafe fread(buffer.baseAddress, 1, min(byteCount, buffer.count), file)
        }
    }
}
