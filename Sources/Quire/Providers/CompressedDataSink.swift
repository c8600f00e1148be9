import Dispatch
public import Foundation
import Synchronization

/// Compresses what is written to it, block by block, into a sink of stored bytes.
///
/// Blocks are compressed on all cores. Memory: at most 8 MiB of blocks and their members, whatever is written.
///
/// Made by `CompressedDataProvider.createDataSink(options:)`, or on its own over any sink, without a provider:
///
/// ```swift
/// let sink = try CompressedDataSink(FileDataSink(fileURL: url))
/// guard sink.write(pdf), sink.finish() else { throw sink.failure ?? CocoaError(.fileWriteUnknown) }
/// ```
public final class CompressedDataSink: OrderedDataSink {
    /// The options that the sink was made with.
    public let options: DataSinkOptions
    let owner: CompressedDataProvider?
    /// The contents that the save was begun on.
    let base: StoreSnapshot?
    let upstream: any DataSink
    /// Whether the upstream sink holds the whole store, not only what follows the present one.
    let isWholeStore: Bool
    /// The live segments as they are after `finish()`.
    private(set) var segments: [Segment] = []

    private let level: Int
    private let favor: Favor
    private let codec: any BlockCodec
    private let batchSize: Int
    private var writer: StoreWriter
    private var life = SinkLife()
    private var blocks: [AlignedBuffer] = []

    /// Makes a sink that writes a new store.
    ///
    /// - Parameters:
    ///   - upstream: an empty sink for the stored bytes; finished with this one.
    ///   - configuration: level and block size.
    ///   - uuid: the identity of the document.
    /// - Throws: `invalidArgument` if the configuration is out of range or `upstream` is for appending.
    public convenience init(
        _ upstream: any DataSink, configuration: CompressedDataProvider.Configuration = .init(),
        uuid: UUID = UUID()
    ) throws {
        try configuration.check()
        guard !upstream.options.contains(.append) else {
            throw QuireError(
                .invalidArgument, "a new store cannot be written to a sink that appends")
        }
        self.init(
            writer: StoreWriter(uuid: uuid, revision: 1, blockSize: configuration.blockSize),
            upstream: upstream, isWholeStore: true, options: [], owner: nil, base: nil,
            configuration: configuration)
    }

    init(
        writer: StoreWriter, upstream: any DataSink, isWholeStore: Bool, options: DataSinkOptions,
        owner: CompressedDataProvider?, base: StoreSnapshot?,
        configuration: CompressedDataProvider.Configuration
    ) {
        self.writer = writer
        self.upstream = upstream
        self.isWholeStore = isWholeStore
        self.options = options
        self.owner = owner
        self.base = base
        level = configuration.level
        favor = configuration.favor
        codec = Codec.standard
        batchSize = max(1, min(16 * coreCount, (4 << 20) / writer.blockSize))
    }

    /// Whether `finish()` has been called.
    public var isFinished: Bool { life.isFinished }
    /// Why the sink failed; nil if it has not.
    public var failure: (any Error)? { life.failure }

    /// Compresses these bytes, as many at once as make a batch of blocks.
    public func write(_ data: Data) -> Bool {
        life.step {
            let bytes = data.bytes
            var position = 0
            while position < bytes.byteCount {
                if blocks.last.map({ $0.count == writer.blockSize }) ?? true {
                    if blocks.count == batchSize { try flush() }
                    blocks.append(AlignedBuffer(capacity: writer.blockSize))
                }
                let block = blocks[blocks.count - 1]
                let count = min(writer.blockSize - block.count, bytes.byteCount - position)
                block.append(bytes.extracting(position..<position + count))
                position += count
            }
        }
    }

    /// Takes over a block of another store as it is, behind what was written before, which then ends a block.
    ///
    /// - Throws: what is wrong with the block, which is then not taken; the cause of a failure, after which the sink has failed.
    func copy(_ block: BlockLocation, of store: Store, through loader: BlockLoader) throws {
        try step { try flush() }
        let seal = BlockMember.seal(tag: writer.tag, number: writer.blockCount)
        let member = try loader.member(of: block, in: store, sealed: seal)
        try step { try writer.write(member.bytes, of: member.entry, to: upstream) }
    }

    private func step(_ body: () throws -> Void) throws {
        if !life.step(body), let failure { throw failure }
    }

    /// Writes what is held back, the index and the footer, and finishes the upstream sink.
    public func finish() -> Bool {
        life.finish {
            try flush()
            segments = try writer.finish(to: upstream)
            try upstream.close()
        }
    }

    /// Nothing to do: a store becomes visible in one step.
    public func barrier() -> Bool { life.step {} }

    /// Not possible: blocks cannot be cut.
    public func discardBase(beyond size: UInt64) -> Bool { false }

    func spend() throws { try life.spend() }

    /// Compresses the blocks held back, in parallel, and writes their members in order.
    private func flush() throws {
        let (blocks, codec, level, favor) = (self.blocks, self.codec, self.level, self.favor)
        let (tag, first) = (writer.tag, writer.blockCount)
        self.blocks = []
        guard !blocks.isEmpty else { return }
        let members = Mutex([Int: Result<EncodedBlock, any Error>]())
        DispatchQueue.concurrentPerform(iterations: blocks.count) { index in
            let member = Result {
                let seal = BlockMember.seal(tag: tag, number: first + UInt64(index))
                return try EncodedBlock(
                    blocks[index], seal: seal, codec: codec, level: level, favor: favor)
            }
            members.withLock { $0[index] = member }
        }
        let done = members.withLock { $0 }
        for index in blocks.indices {
            guard let member = try done[index]?.get() else { continue }
            try writer.write(member.bytes, of: member.entry, to: upstream)
        }
    }
}
