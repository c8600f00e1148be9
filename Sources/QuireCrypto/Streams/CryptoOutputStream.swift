public import Foundation
import Quire

/// Writes to another stream what a block makes of the bytes.
///
/// One thread at a time may use it. It reports no events: run loops and the delegate are not served.
@safe public class CryptoOutputStream: OutputStream {
    /// Encrypts the bytes at the pointer, of which the count is given. Set it before the first write.
    public var encryptionBlock: (CryptoOutputStream, UnsafePointer<UInt8>, UInt) -> Data
    let upstream: OutputStream
    let life = StreamLife()

    /// Wraps a stream. Optional as in the SDK, and never nil.
    ///
    /// - Parameters:
    ///   - outputStream: opened and closed with this one.
    ///   - encryptionBlock: what it returns is written; it may be empty.
    public convenience init?(
        outputStream: OutputStream,
        encryptionBlock: @escaping (CryptoOutputStream, UnsafePointer<UInt8>, UInt) -> Data
    ) {
        self.init(wrapping: outputStream)
        unsafe self.encryptionBlock = encryptionBlock
    }

    init(wrapping upstream: OutputStream) {
        self.upstream = upstream
        // SAFETY: who calls `write` vouches for the bytes.
        unsafe encryptionBlock = { unsafe Data(bytes: $1, count: Int($2)) }
        super.init(toMemory: ())
    }

    #if !canImport(Darwin)
        /// Passes the bytes through into memory: Foundation wants this initialiser of every stream.
        public required init(toMemory: ()) {
            upstream = OutputStream(toMemory: ())
            // SAFETY: as above.
            unsafe encryptionBlock = { unsafe Data(bytes: $1, count: Int($2)) }
            super.init(toMemory: ())
        }
    #endif

    /// Opens the wrapped stream, if that was not done before; what it fails with is the `streamError`.
    public override func open() { life.open(upstream) }

    /// Closes the wrapped stream. An error that there was stays the `streamError`.
    public override func close() {
        upstream.close()
        life.close()
    }

    /// Once `error`, it stays so.
    public override var streamStatus: Status { life.status }
    /// The wrapped stream's error as it is if it could not be opened; else a `QuireError`.
    public override var streamError: (any Error)? { life.error }

    /// Encrypts all `len` bytes and writes all that comes of them.
    ///
    /// - Returns: `len`; -1 if the stream failed or is not open. Of a failed write the wrapped stream may have a part.
    public override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard len > 0 else { return 0 }
        return life.run {
            // SAFETY: the caller vouches for `len` bytes.
            try upstream.put(unsafe encryptionBlock(self, buffer, UInt(len)))
            return len
        }
    }

    /// True if the wrapped stream takes bytes, or may.
    public override var hasSpaceAvailable: Bool {
        life.status == .open && upstream.hasSpaceAvailable
    }

    /// The wrapped stream's, as `dataWrittenToMemoryStreamKey` with what is encrypted.
    public override func property(forKey key: PropertyKey) -> AnyObject? {
        upstream.property(forKey: key)
    }

    /// The wrapped stream's.
    public override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool {
        upstream.setProperty(property, forKey: key)
    }

    /// Does nothing: there are no events.
    public override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    /// Does nothing: there are no events.
    public override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

extension OutputStream {
    /// Writes all of `data`, in as many writes as it takes, or throws why not all was taken.
    func put(_ data: Data) throws {
        var position = 0
        while position < data.count {
            let rest = data.count - position
            // SAFETY: the pointer is to the bytes from `position` on, for the time of the call.
            let count = unsafe data.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe start.map { unsafe write($0 + position, maxLength: rest) } ?? 0
            }
            guard 1...rest ~= count else {
                throw QuireError(
                    .fileSystem, "the wrapped stream took \(count) of \(rest) bytes",
                    underlying: failure, sdkNumber: 120)
            }
            position += count
        }
    }
}
