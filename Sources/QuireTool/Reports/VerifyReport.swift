import Quire

/// What `quire verify` found in one store, for people and for machines.
struct VerifyReport {
    let file: String
    /// Nil if it could not be opened.
    var info: StoreInfo?
    var damages: [Damage] = []
    /// Why it could not be checked at all.
    var error: String?

    init(file: String) { self.file = file }

    var isSound: Bool { error == nil && damages.isEmpty }

    /// A line for the store, or for each of its damages.
    var text: String {
        guard damages.isEmpty, let info else {
            return damages.map { "\(file): damaged: \($0.text)\n" }.joined()
        }
        let blocks = Amount.count(info.blockCount, "block")
        return
            "\(file): sound, \(blocks), \(Amount.exact(info.documentSize)), revision \(info.revision)\n"
    }

    var json: JSON {
        .object([
            "blockCount": JSON(info?.blockCount), "damages": .array(damages.map(\.json)),
            "documentSize": JSON(info?.documentSize), "error": JSON(error),
            "file": .string(file), "isSound": .bool(isSound), "revision": JSON(info?.revision),
        ])
    }
}
