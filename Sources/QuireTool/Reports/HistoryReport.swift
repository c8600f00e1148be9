import Quire

/// The commits of a store, newest first, for people and for machines.
struct HistoryReport {
    let history: [RevisionInfo]

    /// A heading, and a line for each.
    var lines: [String] {
        var table = Table([
            ("revision", .right), ("committed", .left), ("document", .right), ("store", .right),
        ])
        for revision in history {
            table.append([
                String(revision.revision), revision.committedAt.map(Amount.time) ?? "unknown",
                Amount.grouped(revision.documentSize), Amount.grouped(revision.storedSize),
            ])
        }
        return table.lines
    }

    var json: JSON {
        .array(
            history.map {
                .object([
                    "committedAt": $0.committedAt.map { .string(Amount.time($0)) } ?? .null,
                    "documentSize": .integer($0.documentSize), "revision": .integer($0.revision),
                    "storedSize": .integer($0.storedSize),
                ])
            })
    }
}
