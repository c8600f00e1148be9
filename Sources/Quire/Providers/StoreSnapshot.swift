import Foundation
import Synchronization

/// One revision of a store as a provider. A stale index is rebuilt once, when a read finds it.
final class StoreSnapshot: Revision {
    let reader: BlockReader
    private let opened: Store
    /// By what its blocks are read: once some were, the index is theirs, and a store that is not may lie there since.
    private let index = Atomic(Index.unproven)
    private let rebuilt = Mutex<Store?>(nil)

    private enum Index: UInt8, AtomicRepresentable { case unproven, proven, rebuilt }

    /// Tells the document of an earlier revision from the present one.
    private let uidSuffix: String

    init(_ store: Store, reader: BlockReader, uidSuffix: String = "") {
        self.reader = reader
        self.uidSuffix = uidSuffix
        opened = store
    }

    /// The store as it was opened, or with its index made again.
    var store: Store {
        index.load(ordering: .acquiring) == .rebuilt ? rebuilt.withLock { $0 } ?? opened : opened
    }
    var size: UInt64 { store.size }
    var uid: String { "quire-" + store.footer.uuid.uuidString.lowercased() + uidSuffix }

    /// A footer vouches for the index, and this for all blocks.
    func isSame(as other: StoreSnapshot) -> Bool {
        store.footer == other.store.footer && store.storedSize == other.store.storedSize
    }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        try clampedData(withSize: size, atOffset: offset)
    }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        let (known, count) = (index.load(ordering: .acquiring), output.byteCount)
        guard known != .rebuilt else { return try read(into: &output, from: store, at: offset) }
        do { try read(into: &output, from: opened, at: offset) } catch let stale as StaleIndex {
            try rebuild(opened, because: stale)
            return try read(into: &output, from: store, at: offset)
        }
        guard known == .unproven, output.byteCount > count else { return }
        let found = index.compareExchange(
            expected: .unproven, desired: .proven, ordering: .acquiringAndReleasing)
        guard found.original == .rebuilt else { return }
        throw QuireError(
            .snapshotExpired, "the stored bytes were changed while they were read")
    }

    /// Finds out whether the index is that of the blocks, by the last of them, if no read has.
    func proveIndex() {
        guard index.load(ordering: .relaxed) == .unproven, size > 0 else { return }
        _ = try? readData(withSize: 1, atOffset: size - 1)
    }

    private func read(
        into output: inout OutputRawSpan, from store: Store, at offset: UInt64
    ) throws {
        let count = Quire.clampedCount(UInt64(output.freeCapacity), at: offset, of: store.size)
        guard count > 0 else { return }
        do {
            try output.append(upTo: count) { try reader.read(into: &$0, from: store, at: offset) }
        } catch let stale as StaleIndex where store.isRebuilt { throw stale.cause }
    }

    func prefetch(size: UInt64, atOffset offset: UInt64) {
        let store = self.store
        let count = Quire.clampedCount(size, at: offset, of: store.size)
        guard count > 0 else { return }
        try? reader.prefetch(offset..<offset + UInt64(count), of: store)
    }

    /// Puts a rebuilt index in the place of one that does not fit its blocks, or throws what is wrong with it.
    func rebuild(_ store: Store, because stale: StaleIndex) throws {
        guard self.store === store else { return }  // another thread has done it
        guard !store.isRebuilt, !store.isBeyondRebuilding.load(ordering: .relaxed) else {
            throw stale.cause
        }
        do {
            let rebuilder = StoreRebuilder(store.bytes, storedSize: store.storedSize)
            // It is not the block that is damaged.
            let cause = QuireError(
                .damagedIndex, "the index is of another store than the blocks",
                fileOffset: store.footer.segmentOffset)
            let rebuilt = try rebuilder.rebuild(under: store.footer, because: cause)
            self.rebuilt.withLock { $0 = $0 ?? rebuilt }
            let found = index.compareExchange(
                expected: .unproven, desired: .rebuilt, ordering: .acquiringAndReleasing)
            guard found.original != .proven else {
                store.isBeyondRebuilding.store(true, ordering: .relaxed)
                throw stale.cause
            }
        } catch QuireError.Code.damagedIndex {
            store.isBeyondRebuilding.store(true, ordering: .relaxed)
            throw stale.cause
        }
    }

    /// Reads and checks every block; a stale index is rebuilt before.
    ///
    /// - Parameter progress: called with the bytes of the document checked so far; what it throws stops the check.
    /// - Returns: what is wrong, for each block that is damaged, in order.
    func damagedBlocks(progress: (UInt64) throws -> Void = { _ in }) throws -> [QuireError] {
        let store = self.store
        var damages: [QuireError] = []
        do {
            try store.forEachBlock { block in
                do { try reader.loader.check(block, of: store) } catch let error as QuireError
                    where error.blockNumber != nil
                {
                    damages.append(error)
                } catch let stale as StaleIndex
                    where store.isRebuilt || store.isBeyondRebuilding.load(ordering: .relaxed)
                {
                    damages.append(stale.cause)
                }
                try progress(block.end)
            }
        } catch let stale as StaleIndex {
            do { try rebuild(store, because: stale) } catch {
                guard store.isBeyondRebuilding.load(ordering: .relaxed) else { throw error }
            }
            return try damagedBlocks(progress: progress)
        }
        return damages
    }
}
