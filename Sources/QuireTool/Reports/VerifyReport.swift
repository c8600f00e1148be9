import Quire

/// What `quire verify` found in one store, for people and for machines.
struct VerifyReport {
    let file: String
    /// Nil if it could not be opened.
    var info: StoreInfo?
    var damages: [Damage] = []
    /// The latest revision without a damaged block, if the present one has some.
    var wholeRevision: UInt64?
    /// A later revision than the present one, which a repair brings back.
    var restorableRevision: UInt64?
    /// Why it could not be checked at all.
    var error: String?

    init(file: String) { self.file = file }

    var isSound: Bool { error == nil && damages.isEmpty }

    /// A line for the store, or for each of its damages.
    var text: String {
        guard damages.isEmpty, let info else {
            var lines = damages.map { "damaged: \($0.text)" }
            if let wholeRevision { lines.append("revision \(wholeRevision) is whole") }
            if let restorableRevision {
                lines.append("quire repair can restore revision \(restorableRevision)")
            }
            return lines.map { "\(file): \($0)\n" }.joined()
        }
        let blocks = Amount.count(info.blockCount, "block")
        return
            "\(file): sound, \(blocks), \(Amount.exact(info.documentSize)), revision \(info.revision)\n"
    }

    var json: JSON {
        .object([
            "blockCount": JSON(info?.blockCount), "damages": .array(damages.map(\.json)),
            "documentSize": JSON(info?.documentSize), "error": JSON(error),
            "file": .string(file), "isSound": .bool(isSound),
            "restorableRevision": JSON(restorableRevision), "revision": JSON(info?.revision),
            "wholeRevision": JSON(wholeRevision),
        ])
    }
}
