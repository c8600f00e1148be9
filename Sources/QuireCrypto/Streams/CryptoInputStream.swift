public import Foundation
import Quire

/// Reads another stream through a block that decrypts in place.
///
/// One thread at a time may use it. It reports no events: run loops and the delegate are not served.
@safe public class CryptoInputStream: InputStream {
    /// Decrypts the bytes at the pointer in place; of those that were read the count is given, the new one returned: 0 if
    /// nothing came of them yet, -1 to fail with 160. Set it before the first read.
    public var decryptionBlock: (CryptoInputStream, UnsafeMutablePointer<UInt8>, Int) -> Int
    let upstream: InputStream
    let life = StreamLife()

    /// Wraps a stream. Optional as in the SDK, and never nil.
    ///
    /// - Parameters:
    ///   - inputStream: opened and closed with this one.
    ///   - decryptionBlock: without it the bytes pass through as they are.
    public convenience init?(
        inputStream: InputStream,
        decryptionBlock: ((CryptoInputStream, UnsafeMutablePointer<UInt8>, Int) -> Int)?
    ) {
        self.init(wrapping: inputStream)
        if let decryptionBlock = unsafe decryptionBlock {
            unsafe self.decryptionBlock = decryptionBlock
        }
    }

    init(wrapping upstream: InputStream) {
        self.upstream = upstream
        unsafe decryptionBlock = { _, _, count in count }
        super.init(data: Data())
    }

    /// Opens the wrapped stream, if that was not done before; what it fails with is the `streamError`.
    public override func open() { life.open(upstream) }

    /// Closes the wrapped stream. An error that there was stays the `streamError`.
    public override func close() {
        upstream.close()
        life.close()
    }

    /// Once `error`, it stays so.
    public override var streamStatus: Status { life.status }
    /// The wrapped stream's error as it is; else a `QuireError`.
    public override var streamError: (any Error)? { life.error }

    /// Decrypts the next bytes: one read of the wrapped stream, more only if nothing comes of it.
    ///
    /// - Returns: the count of bytes, 0 at the end or for a `len` of 0; -1 if the stream failed or is not open.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard len > 0 else { return 0 }
        return life.run {
            while true {
                // SAFETY: the caller vouches for `len` bytes.
                let count = try unsafe upstream.take(buffer, len)
                guard count > 0 else {
                    life.end()
                    return 0
                }
                let length = unsafe decryptionBlock(self, buffer, count)
                guard 0...len ~= length else {
                    throw QuireError(
                        .cryptoFailure, "the decryption block returned \(length), not 0...\(len)",
                        sdkNumber: 160)
                }
                if length > 0 { return length }
            }
        }
    }

    /// True unless a read could not give a byte.
    public override var hasBytesAvailable: Bool {
        life.status == .open && upstream.hasBytesAvailable
    }

    /// False: there is no buffer to look into.
    public override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    /// The wrapped stream's.
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

extension InputStream {
    /// `read`, or the cause of its failure.
    @unsafe func take(_ buffer: UnsafeMutablePointer<UInt8>, _ limit: Int) throws -> Int {
        let count = unsafe read(buffer, maxLength: limit)
        guard 0...limit ~= count else {
            throw failure
                ?? QuireError(.fileSystem, "the wrapped stream read \(count) of \(limit) bytes")
        }
        return count
    }

    /// Reads until the span is full.
    ///
    /// - Returns: false if the stream ended before.
    func fill(_ output: inout OutputRawSpan) throws -> Bool {
        while output.freeCapacity > 0 {
            let count = try unsafe output.withUnsafeMutableBytes { buffer, initialized in
                // SAFETY: the rest of the buffer is free, and `take` gives no larger count.
                guard let start = buffer.baseAddress else { return 0 }
                let count = try unsafe take(
                    (start + initialized).assumingMemoryBound(to: UInt8.self),
                    buffer.count - initialized)
                initialized += count
                return count
            }
            guard count > 0 else { return false }
        }
        return true
    }
}
