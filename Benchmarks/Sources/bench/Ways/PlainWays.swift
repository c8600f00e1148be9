import Foundation
import Quire

/// The plain file by system calls: the baseline.
struct PreadWay: Way {
    let name = "pread"
    func open(_ url: URL, cacheByteBudget: Int) throws -> any Source { try RawFile(url) }
}

/// The plain file mapped into memory.
struct MappedWay: Way {
    let name = "mmap"
    func open(_ url: URL, cacheByteBudget: Int) throws -> any Source { try MappedFile(url) }
}

/// The plain file through Quire's provider: what the interface costs without compression.
struct FileProviderWay: Way {
    let name = "FileDataProvider"
    func open(_ url: URL, cacheByteBudget: Int) throws -> any Source {
        let provider = FileDataProvider(fileURL: url)
        // It opens the file when it is first asked for something.
        guard provider.size > 0 else { throw BenchError("\(url.path) cannot be opened") }
        return provider
    }
}

/// A mapping of a whole file.
@safe final class MappedFile: Source, @unchecked Sendable {
    // SAFETY: read only, and mapped for as long as this object lives.
    private let bytes: UnsafeRawBufferPointer

    init(_ url: URL) throws {
        let file = try RawFile(url)
        let size = try file.size()
        let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            throw BenchError("mmap of \(url.path) failed, errno \(errno)")
        }
        unsafe bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    deinit { unsafe _ = munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let start = min(Int(offset), unsafe bytes.count)
        let end = min(start + output.freeCapacity, unsafe bytes.count)
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        unsafe output.withUnsafeMutableBytes { buffer, initialized in
            // SAFETY: the part is no longer than the free capacity.
            unsafe buffer.copyMemory(from: part)
            initialized = part.count
        }
    }
}
