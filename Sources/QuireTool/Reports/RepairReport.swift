import Quire

/// What `quire repair` found and did, for people and for machines.
struct RepairReport {
    let file: String
    var repairs: [QuireError] = []
    var losses: [QuireError] = []
    var holes: [Salvage.Hole] = []
    /// Whether the holes were, or would be, filled with zeros.
    var isSalvaged = false
    /// The latest revision without a hole, if the present one has some.
    var wholeRevision: UInt64?
    /// Of what was written, or is there.
    var revision: UInt64?
    var documentSize: UInt64?
    /// The file that was written; nil if none was.
    var output: String?
    var backup: String?
    /// Why nothing could be done.
    var error: String?

    init(file: String) { self.file = file }

    var isAnythingLost: Bool { !losses.isEmpty || !holes.isEmpty }

    /// A line for each thing that was found, and what was written.
    var text: String {
        var lines = repairs.map { "repaired: \($0)" } + losses.map { "lost: \($0)" }
        lines += holes.map { (isSalvaged ? "zeros for " : "damaged: ") + Damage($0).text }
        if !holes.isEmpty, !isSalvaged {
            if let wholeRevision { lines.append("revision \(wholeRevision) is whole") }
            lines.append("--salvage writes the rest, with zeros for what is damaged")
        }
        if let output, let revision, let documentSize {
            let kept = backup.map { "; what it was is \($0)" } ?? ""
            let name = output == file ? "" : " to \(output)"
            lines.append(
                "written\(name), revision \(revision), \(Amount.exact(documentSize))\(kept)")
        } else if lines.isEmpty {
            lines.append("sound, nothing to repair")
        }
        return lines.map { "\(file): \($0)\n" }.joined()
    }

    var json: JSON {
        .object([
            "backup": JSON(backup), "documentSize": JSON(documentSize), "error": JSON(error),
            "file": .string(file), "holes": .array(holes.map { Damage($0).json }),
            "isSalvaged": .bool(isSalvaged),
            "losses": .array(losses.map { Damage($0).json }), "output": JSON(output),
            "repairs": .array(repairs.map { Damage($0).json }), "revision": JSON(revision),
            "wholeRevision": JSON(wholeRevision),
        ])
    }
}
