import Foundation
import Quire
import QuireTesting

/// What must not be.
struct Finding: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Opens, reads, repairs and salvages a damaged store, and compares all that comes of it with what it may be.
struct DamageOracle {
    let image: Data
    /// The store before it was damaged; of two that were spliced both.
    let stores: [DamagedStore]
    /// The byte that is another, if it is one.
    var flipped: Int?

    /// All that may be read, the present documents first; a torn append may be whole but for its last bytes.
    private var documents: [Data] {
        stores.flatMap { $0.documents.reversed() + ($0.torn.map { [$0] } ?? []) }
    }

    /// - Returns: what the store is read as.
    func outcome() throws -> String {
        var provider: CompressedDataProvider?
        do {
            provider = try CompressedDataProvider(
                DataContainerProvider(data: image), configuration: .init(cacheByteBudget: 1 << 16))
        } catch let error as QuireError {
            try checkCode(error, "opening")
            try checkRefusal(error)
        }
        let outcome = try provider.map(checkReading) ?? "refused"
        let isAllRepaired = try checkRepair(leastSize: Int(provider?.size ?? 0))
        try checkSalvage { try Salvage(of: DataContainerProvider(data: image)) }
        // As the tool does: where there is no index to go by.
        if provider == nil || !isAllRepaired {
            try checkSalvage { try Salvage(scanning: DataContainerProvider(data: image)) }
        }
        return outcome
    }

    /// Damage has a place in the stored bytes. What is no store has none; and of several bytes the version may be one.
    private func checkCode(_ error: QuireError, _ what: String) throws {
        let isNamed = error.isDamage && error.fileOffset != nil
        guard
            isNamed || error.code == .notAStore
                || error.code == .unsupportedVersion && flipped == nil
        else { throw Finding("\(what) throws \(error.code): \(error)") }
    }

    // MARK: Reading

    /// Everything that a provider tells is of one document, and what it cannot read it names.
    private func checkReading(_ provider: CompressedDataProvider) throws -> String {
        let reading = try Reading(provider, of: documents)
        let document = try reading.document("the document")
        let (info, blocks) = (try provider.info(), try provider.blocks())
        guard info.documentSize == provider.size, info.storedSize == image.count,
            info.blockCount == blocks.count
        else { throw Finding("the sizes are told as \(info)") }
        let damages = try provider.verify()
        let damaged = Set(damages.compactMap(\.blockNumber))
        guard damages.allSatisfy({ $0.fileOffset != nil && $0.isDamage }) else {
            throw Finding("verifying tells \(damages)")
        }
        try reading.check(against: blocks, damaged: damaged)
        for block in blocks where damaged.contains(block.number) {
            guard !stores.contains(where: { $0.has(block, in: image) }) else {
                throw Finding("block \(block.number) is whole, but \(damages)")
            }
        }
        if info.tornByteCount > 0 || info.isRebuilt, damages.isEmpty {
            throw Finding("verifying finds nothing in \(info)")
        }
        try checkHistory(provider)
        if let flipped { try checkFlip(flipped, damaged: damaged, of: document) }
        if !damaged.isEmpty { return "read but for damaged blocks" }
        return stores.contains { $0.document == document }
            ? "read as it was" : "read as an earlier revision"
    }

    /// One byte costs its block at most, or its commit if it is in the last footer.
    private func checkFlip(_ flipped: Int, damaged: Set<Int>, of document: Data) throws {
        guard let store = stores.first else { return }
        let isInFooter = store.end - DamagedStore.footerSize..<store.end ~= flipped
        if document != store.document, !isInFooter {
            throw Finding("an earlier revision of \(document.count) bytes is read")
        }
        let hit = store.blocks.first {
            Int($0.fileOffset)..<Int($0.fileOffset) + $0.memberSize ~= flipped
        }
        guard damaged.isSubset(of: hit.map { [$0.number] } ?? []) else {
            throw Finding("blocks \(damaged) are not readable")
        }
    }

    private func checkRefusal(_ error: QuireError) throws {
        guard let flipped, let store = stores.first else { return }
        // Without the footer, which a torn append hides as well, the way to the last commit is by the headers.
        let isInFooter = store.end - DamagedStore.footerSize..<store.end ~= flipped
        guard store.documents.count == 1 && isInFooter || store.end < store.stored.count else {
            throw Finding("not opened: \(error)")
        }
    }

    private func checkHistory(_ provider: CompressedDataProvider) throws {
        for revision in try provider.reachableHistory().revisions {
            do {
                let view = try provider.open(revision: revision.revision)
                _ = try Reading(view, of: documents).document("revision \(revision.revision)")
                guard view.size == revision.documentSize else {
                    throw Finding("revision \(revision.revision) has \(view.size) bytes")
                }
            } catch let error as QuireError {
                try checkCode(error, "revision \(revision.revision)")
            }
        }
    }

    // MARK: Repairing

    /// - Returns: whether no commit is lost.
    private func checkRepair(leastSize: Int) throws -> Bool {
        let repair: StoreRepair
        do { repair = try StoreRepair(of: DataContainerProvider(data: image)) } catch let error
            as QuireError
        {
            try checkCode(error, "repairing")
            guard flipped == nil || stores.first?.document.isEmpty == true else {
                throw Finding("not repaired: \(error)")
            }
            return false
        }
        let target = DataContainerProvider(data: Data())
        let sink = try target.createDataSink(options: [])
        try repair.write(to: sink)
        try target.replaceContents(with: sink)
        let provider = try CompressedDataProvider(target)
        let holes = repair.salvage.holes
        let document = try Reading(provider, of: documents).document("the repaired document")
        guard try provider.verify().map(\.blockNumber) == holes.map(\.cause.blockNumber),
            try !provider.info().isRebuilt
        else { throw Finding("the repaired store is damaged") }
        guard document.count >= leastSize else {
            throw Finding("the repaired document has \(document.count) bytes of \(leastSize)")
        }
        if flipped != nil, let store = stores.first, document != store.document,
            document != store.torn
        {
            throw Finding("one byte cost a commit")
        }
        try checkHistory(provider)
        let again = try StoreRepair(of: target)
        guard again.repairs.isEmpty, again.losses.isEmpty else {
            throw Finding("the repaired store is repaired again: \(again.repairs)")
        }
        return repair.losses.isEmpty
    }

    // MARK: Salvaging

    /// The result is a document that was saved but for its holes.
    private func checkSalvage(_ make: () throws -> Salvage) throws {
        let salvage: Salvage
        do { salvage = try make() } catch let error as QuireError {
            try checkCode(error, "salvaging")
            return
        }
        let target = DataContainerProvider(data: Data())
        let sink = try target.createDataSink(options: [])
        try salvage.write(to: sink)
        try target.replaceContents(with: sink)
        let provider = try CompressedDataProvider(target)
        guard try provider.verify().isEmpty else { throw Finding("the salvaged store is damaged") }
        let found = try provider.data()
        guard found.count == Int(salvage.documentSize) else {
            throw Finding("\(found.count) bytes are salvaged, told were \(salvage.documentSize)")
        }
        var documents = self.documents
        if let store = stores.first, let inner = store.inner,
            !image.starts(with: store.stored[..<32])
        {
            // Where the store around it has lost its beginning, that may be all there is.
            documents.append(inner)
        }
        guard
            documents.contains(where: { agrees(found, $0, salvage.holes) })
                || stores.count > 1 && stores[0].isFork(of: stores[1])
                // Blocks that come first, without a footer to count them, are taken for the first ones.
                || !hasStartOrFooter
                    && documents.contains(where: {
                        agrees(found, $0, salvage.holes, isSure: false)
                    })
        else {
            throw Finding("what is salvaged is of no document: \(salvage.holes)")
        }
    }

    /// Whether the first block's header or one of the footers is in the image, wherever.
    private var hasStartOrFooter: Bool {
        stores.contains { store in
            image.starts(with: store.stored.prefix(32))
                || store.ends.contains {
                    image.range(of: store.stored[$0 - DamagedStore.footerSize..<$0]) != nil
                }
        }
    }

    /// Whether all between the holes is in its place. Behind a hole of unknown size it only has to be somewhere, from a block on.
    private func agrees(
        _ found: Data, _ document: Data, _ holes: [Salvage.Hole], isSure: Bool = true
    ) -> Bool {
        var starts = stores.flatMap(\.starts).sorted()[...]
        var (position, isSure) = (0, isSure)
        let last = [(UInt64(found.count), UInt64(0), true)]
        for (offset, size, isSizeCertain) in holes.map({ ($0.offset, $0.size, $0.isSizeCertain) })
            + last
        {
            let part = found[position..<Int(offset)]
            if isSure {
                guard document.dropFirst(position).prefix(part.count) == part else { return false }
            } else if !part.isEmpty {
                starts = starts.drop { document.dropFirst($0).prefix(part.count) != part }
                guard let start = starts.first else { return false }
                starts = starts.drop { $0 < start + part.count }
            }
            position = Int(offset + size)
            isSure = isSure && isSizeCertain
        }
        return !isSure || found.count == document.count
    }
}
