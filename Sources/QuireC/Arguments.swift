import CQuire
import Foundation
import Quire

/// The file that a path from C names.
func fileURL(_ path: UnsafePointer<CChar>?) throws -> URL {
    guard let path = unsafe path else { throw Failure.invalid("the path is NULL") }
    // SAFETY: the caller gives a text that ends with 0.
    guard let path = unsafe String(validatingCString: path), !path.isEmpty else {
        throw Failure.invalid("the path is empty or not UTF-8")
    }
    guard path.utf8.last != UInt8(ascii: "/") else {
        throw Failure.invalid("the path \(path) names a folder")
    }
    // Absolute, or Foundation makes a home of ~ and takes .. for what is in front of it.
    let folder = FileManager.default.currentDirectoryPath
    return URL(fileURLWithPath: path.isAbsolutePath ? path : folder + "/" + path)
}

/// Where C wants a handle to be put. On an error it finds NULL there.
func place(_ handle: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws -> OpaquePointer?)
    throws
{
    guard let handle = unsafe handle else {
        throw Failure.invalid("the place for the handle is NULL")
    }
    unsafe handle.pointee = nil
    unsafe handle.pointee = try make()
}

/// Options as they are used, checked.
struct Options {
    private(set) var isOverwriting = false
    private(set) var configuration = CompressedDataProvider.Configuration()

    /// Sizes that a caller of a later version may give; more is taken for memory that was never set.
    private static let sizeLimit = 4096

    init(_ pointer: UnsafePointer<quire_options>?) throws {
        guard let pointer = unsafe pointer else { return }
        let (size, known) = (Int(unsafe pointer.pointee.size), MemoryLayout<quire_options>.size)
        guard known...Self.sizeLimit ~= size else {
            throw Failure.invalid(
                "the size of the options is \(size), allowed are \(known)...\(Self.sizeLimit)")
        }
        // SAFETY: the caller says that the options have `size` bytes.
        let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: size)
        guard unsafe bytes[known...].allSatisfy({ $0 == 0 }) else {
            throw Failure.invalid("there are options that are not known here")
        }
        let options = unsafe pointer.pointee
        guard Int(options.flags) & ~QUIRE_OVERWRITE == 0, options.reserved == 0 else {
            throw Failure.invalid("a flag or reserved field of the options is not known here")
        }
        isOverwriting = Int(options.flags) & QUIRE_OVERWRITE != 0
        let favor: Favor =
            switch Int(options.favor) {
            case QUIRE_BALANCED: .balanced
            case QUIRE_SIZE: .size
            case QUIRE_SPEED: .speed
            default: throw Failure.invalid("the favor is \(options.favor), allowed are 0...2")
            }
        configuration = .init(favor: favor)
        // What the numbers may be, the configuration says when it is used.
        if options.level != 0 {
            let isStoring = options.level == QUIRE_STORE_ALL
            configuration.level = isStoring ? 0 : Int(options.level)
        }
        if options.block_size != 0 { configuration.blockSize = Int(options.block_size) }
        if options.cache_bytes != 0 {
            configuration.cacheByteBudget = Int(clamping: options.cache_bytes)
        }
    }
}
