import Foundation
import Quire

/// The bytes of a key. They are overwritten when the last reference goes.
@safe final class SecretBytes: @unchecked Sendable {
    // SAFETY: only touched through `withMutableBytes` before it is shared, and read-only afterwards.
    private let memory: UnsafeMutableRawBufferPointer
    var count: Int { unsafe memory.count }

    /// - Parameter fill: writes all `count` bytes.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        unsafe memory = .allocate(byteCount: count, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        try unsafe fill(memory)
    }

    convenience init(copying data: Data) {
        unsafe self.init(count: data.count) { buffer in unsafe _ = data.copyBytes(to: buffer) }
    }

    deinit {
        unsafe Library.wipe(memory)
        unsafe memory.deallocate()
    }

    /// A copy that is not overwritten when it is let go.
    var data: Data { unsafe Data(UnsafeRawBufferPointer(memory)) }

    func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(memory).bytes)
    }
}
