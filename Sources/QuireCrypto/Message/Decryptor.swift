import Quire

/// A cipher and its buffers, for one read at a time.
final class Decryptor: Sendable {
    /// Up to so many bytes are decrypted apart and copied, which is quicker than decrypting the edges of a read by themselves.
    private static let smallSize = 4 << 10

    private let cipher: Library.Cipher
    private let ciphertext = AlignedBuffer(capacity: Message.chunkSize)
    private let plaintext = AlignedBuffer(capacity: smallSize + Message.blockSize)

    init(key: SecretBytes) throws { cipher = try Library.Cipher(.decrypt, key: key) }

    /// Appends `count` bytes of the document from `offset` on, which are there. One upstream read for each 128 KiB.
    ///
    /// - Parameters:
    ///   - stored: the message.
    ///   - start: where its ciphertext begins in it.
    func read(
        _ count: Int, at offset: UInt64, of stored: any DataProviding, ciphertextAt start: UInt64,
        into output: inout OutputRawSpan
    ) throws {
        let block = Message.blockSize
        var skip = Int(offset % UInt64(block))
        var left = count
        // The first block needs the one in front of it, or the IV; the cipher remembers it for those that follow.
        var fileOffset = start + (offset - UInt64(skip)) - UInt64(block)
        var lead = block
        while left > 0 {
            let blocks = (skip + left + block - 1) / block
            let byteCount = min(lead + blocks * block, ciphertext.capacity)
            try ciphertext.fill(upTo: byteCount) { try stored.readAll(into: &$0, at: fileOffset) }
            fileOffset += UInt64(byteCount)
            try ciphertext.withBytes { bytes in
                if lead > 0 { try cipher.begin(iv: bytes.extracting(first: lead)) }
                let wanted = min(left, byteCount - lead - skip)
                try decrypt(bytes.extracting(droppingFirst: lead), skip, wanted, into: &output)
                left -= wanted
            }
            (skip, lead) = (0, 0)
        }
    }

    /// Decrypts whole blocks and appends `count` bytes of them, after the first `skip`.
    private func decrypt(
        _ bytes: RawSpan, _ skip: Int, _ count: Int, into output: inout OutputRawSpan
    ) throws {
        let block = Message.blockSize
        if skip == 0, count == bytes.byteCount {
            try cipher.process(bytes, into: &output)
        } else if bytes.byteCount <= plaintext.capacity {
            try plaintext.fill(upTo: bytes.byteCount) { try cipher.process(bytes, into: &$0) }
            plaintext.withBytes {
                output.append(copying: $0.extracting(skip..<skip + count))
            }
        } else {
            // The edges apart, all that lies between them where it belongs.
            let head = skip == 0 ? 0 : block
            let middle = (skip + count) / block * block
            try decrypt(
                bytes.extracting(first: head), skip, head == 0 ? 0 : block - skip, into: &output)
            try cipher.process(bytes.extracting(head..<middle), into: &output)
            try decrypt(
                bytes.extracting(droppingFirst: middle), 0, (skip + count) % block, into: &output)
        }
    }
}
