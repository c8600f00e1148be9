import Foundation
import QuireCrypto
import Testing

@testable import Quire

/// A stream of bytes that gives few at once, and fails at a chosen read.
@safe final class ScriptedInputStream: InputStream {
    private let bytes: Data
    private let limit: Int
    private let failingRead: Int
    private var position = 0
    private var readCount = 0
    private var status = Status.notOpen

    /// - Parameters:
    ///   - limit: bytes that one read gives at most.
    ///   - failingRead: the number of the read, from 0, that fails with `EIO`.
    init(_ bytes: Data, limit: Int = .max, failingRead: Int = -1) {
        self.bytes = bytes
        self.limit = limit
        self.failingRead = failingRead
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Status { status }
    override var streamError: (any Error)? { status == .error ? POSIXError(.EIO) : nil }
    override var hasBytesAvailable: Bool { status == .open && position < bytes.count }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        if readCount == failingRead { status = .error }
        guard status == .open else { return -1 }
        readCount += 1
        let count = min(len, limit, bytes.count - position)
        unsafe bytes.copyBytes(to: buffer, from: position..<position + count)
        position += count
        return count
    }
}

/// A stream into memory that takes few bytes at once, and fails at a chosen write.
@safe final class ScriptedOutputStream: OutputStream {
    private(set) var bytes = Data()
    private(set) var writeCount = 0
    private let limit: Int
    private let failingWrite: Int
    private var status = Status.notOpen

    /// - Parameters:
    ///   - limit: bytes that one write takes at most.
    ///   - failingWrite: the number of the write, from 0, that fails with `EIO`.
    init(limit: Int = .max, failingWrite: Int = -1) {
        self.limit = limit
        self.failingWrite = failingWrite
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        (limit, failingWrite) = (.max, -1)
        super.init(toMemory: ())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Status { status }
    override var streamError: (any Error)? { status == .error ? POSIXError(.EIO) : nil }
    override var hasSpaceAvailable: Bool { status == .open }
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        if writeCount == failingWrite { status = .error }
        guard status == .open else { return -1 }
        writeCount += 1
        let count = min(len, limit)
        unsafe bytes.append(buffer, count: count)
        return count
    }
}

extension InputStream {
    /// Reads until there is nothing more, or an error: the bytes, and what the last read returned.
    func drain(by size: Int = 4096) -> (bytes: Data, last: Int) {
        var buffer = [UInt8](repeating: 0, count: size)
        var bytes = Data()
        while true {
            let count = unsafe read(&buffer, maxLength: size)
            guard count > 0 else { return (bytes, count) }
            bytes += buffer.prefix(count)
        }
    }
}

extension OutputStream {
    /// Writes all of it, part by part; false at the first part that was not taken whole.
    func pour(_ data: Data, by size: Int = 4096) -> Bool {
        stride(from: 0, to: data.count, by: size).allSatisfy { start in
            let part = [UInt8](data.dropFirst(start).prefix(size))
            return unsafe write(part, maxLength: part.count) == part.count
        }
    }
}

extension Stream {
    /// The code of the error, and its number as `NSError`.
    var failureCodes: [String] {
        guard let streamError else { return [] }
        let code = (streamError as? QuireError)?.code.description ?? "\(type(of: streamError))"
        return [code, "\((streamError as NSError).code)"]
    }
}

/// An opened stream over a message in memory.
func decrypting(
    _ message: Data, _ passphrase: String = "correct horse", limit: Int = .max
) -> AESCryptoInputStream {
    let stream = AESCryptoInputStream(
        inputStream: ScriptedInputStream(message, limit: limit), passphrase: passphrase)
    stream.open()
    return stream
}

/// The message that a stream makes of a document.
func streamed(
    _ document: Data, _ passphrase: String = "correct horse", by size: Int = 4096
) throws -> Data {
    let memory = OutputStream(toMemory: ())
    let stream = try #require(AESCryptoOutputStream(outputStream: memory, passphrase: passphrase))
    stream.open()
    #expect(stream.pour(document, by: size))
    stream.close()
    #expect(stream.streamStatus == .closed && stream.streamError == nil)
    return try #require(stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data)
}
