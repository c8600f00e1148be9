import Foundation
import QuireTesting

@testable import Quire

/// What a power cut may leave after some saves of a script were acknowledged.
struct ExpectedDocument: CustomStringConvertible {
    let form: SaveCase.Form
    let script: SaveScript
    private(set) var number = -1
    private var saved: [Int] = []
    /// What is there at least, and what was saved since without being durable.
    private var old: [Data] = [Data()]
    private var new = Data()

    init(form: SaveCase.Form, script: SaveScript) {
        self.form = form
        self.script = script
        goOn()
    }

    var description: String { "script \(script.seed), save \(number)" }

    /// Takes note of what the process says of a save.
    mutating func hear(_ line: String) throws {
        let words = line.split(separator: " ")
        guard words.count > 1, words[1] == "\(number)" else { throw Wrong("said \(line)") }
        if words[0] == "saved" {
            saved.append(number)
            old = [new]
        } else if words[2] == "notDurable" {
            saved.append(number)
            old.append(new)
        }
        goOn()
    }

    /// Takes note of what a process has left that was killed: the next one builds on it.
    mutating func crash(leaving stored: Data) throws {
        let document = try form == .plain ? stored : open(stored).data()
        if document != old.last {
            guard document == new else { throw Wrong("\(self): the file is of no save") }
            saved.append(number)
            old.append(new)
        }
        goOn()
    }

    private mutating func goOn() {
        number += 1
        new = script.document(afterSaves: saved + [number])
    }

    func state(of stored: Data?) throws -> String {
        guard let stored else { return "gone" }
        let document = try form == .plain ? stored : open(stored).data()
        if old.contains(document) { return "old" }
        if document == new { return "new" }
        let isPart =
            form == .plain && script.options(ofSave: number) == .append
            && old.contains { document.starts(with: $0) }
        return isPart ? "partial" : "neither"
    }
}
