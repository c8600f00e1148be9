import Quire

/// An option of some command.
enum Option: String {
    case blocks = "--blocks"
    case blockSize = "--block-size"
    case favor = "--favor"
    case force = "--force"
    case help = "--help"
    case json = "--json"
    case length = "--length"
    case level = "--level"
    case noBackup = "--no-backup"
    case offset = "--offset"
    case output = "--output"
    case plain = "--plain"
    case revision = "--revision"
    case salvage = "--salvage"

    /// From the long spelling, or from the short one where there is one.
    init?(spelling: String) {
        switch spelling {
        case "-f": self = .force
        case "-h": self = .help
        case "-o": self = .output
        default: self.init(rawValue: spelling)
        }
    }

    var takesValue: Bool {
        switch self {
        case .blockSize, .favor, .length, .level, .offset, .output, .revision: true
        case .blocks, .force, .help, .json, .noBackup, .plain, .salvage: false
        }
    }
}

/// A command line that makes no sense.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }

    /// The line for it, with where to look.
    func error(_ command: String?) -> ToolError {
        let subject = command.map { "\($0): " } ?? ""
        let help = command.map { "quire \($0) --help" } ?? "quire --help"
        return ToolError(line: "\(subject)\(message) (see \(help))", status: .usage)
    }
}

/// The words behind a command, taken apart: options with their values, and what is left.
struct Arguments {
    /// What is no option; all that follows `--`.
    private(set) var operands: [String] = []
    private var values: [Option: String] = [:]

    /// `--level 9`, `--level=9`, `-o FILE` and `-oFILE` are understood; the last of several wins.
    init(_ words: [String], allowing options: Set<Option>) throws {
        var words = words[...]
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                guard !word.isEmpty else { throw UsageError("a file name is empty") }
                operands.append(word)
                continue
            }
            var (spelling, value) = Self.split(word)
            guard let option = Option(spelling: spelling),
                options.contains(option) || option == .help
            else { throw UsageError("there is no option \(spelling)") }
            if option.takesValue {
                value = value ?? words.popFirst()
                guard let value, !value.isEmpty else {
                    throw UsageError("\(spelling) needs a value")
                }
            } else if let value {
                throw UsageError("\(spelling) takes no value, but was given \(value)")
            }
            values[option] = value ?? ""
        }
    }

    func has(_ option: Option) -> Bool { values[option] != nil }

    func value(_ option: Option) -> String? { values[option] }

    /// The value as a number of bytes or a plain number: digits, and K, M or G for powers of 1,024.
    func number(_ option: Option, in range: ClosedRange<UInt64>) throws -> UInt64? {
        guard let value = values[option] else { return nil }
        guard let number = Self.number(value) else {
            throw UsageError("\(option.rawValue) is \(value), which is not a number")
        }
        guard range.contains(number) else {
            throw UsageError(
                "\(option.rawValue) is \(value), allowed are \(range.lowerBound)...\(range.upperBound)"
            )
        }
        return number
    }

    /// The levels that `--level` takes, for stores.
    static let levels = 1...CompressedDataProvider.Configuration.levels.upperBound

    /// The value of `--level`, for stores.
    var level: Int? {
        get throws {
            try number(.level, in: 1...UInt64(Self.levels.upperBound)).map(Int.init)
        }
    }

    /// A word as the number of a revision.
    static func revision(_ word: String) throws -> UInt64 {
        guard !word.isEmpty, word.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = UInt64(word), number > 0
        else { throw UsageError("\(word) is not a revision, which is a number from 1 on") }
        return number
    }

    private static func number(_ text: String) -> UInt64? {
        let shifts: [Character: UInt64] = ["K": 10, "M": 20, "G": 30]
        let shift = text.uppercased().last.flatMap { shifts[$0] }
        let digits = shift == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty,
            digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        // Too large for any range is still a number.
        let (number, overflow) = (UInt64(digits) ?? .max).multipliedReportingOverflow(
            by: 1 << (shift ?? 0))
        return overflow ? .max : number
    }

    private static func split(_ word: String) -> (spelling: String, value: String?) {
        if word.hasPrefix("--") {
            guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
            return (String(word[..<equals]), String(word[word.index(after: equals)...]))
        }
        let rest = word.dropFirst(2)
        return (String(word.prefix(2)), rest.isEmpty ? nil : String(rest))
    }
}

extension Arguments {
    /// At least one operand.
    func files(_ what: String) throws -> [String] {
        guard !operands.isEmpty else { throw UsageError("a \(what) is missing") }
        return operands
    }

    /// The one operand, a store.
    func store() throws -> String {
        guard operands.count == 1 else {
            throw UsageError("one STORE is needed, \(operands.count) were given")
        }
        try Self.checkStore(operands[0])
        return operands[0]
    }

    static func checkStore(_ name: String) throws {
        if name == "-" {
            throw UsageError("a store is read by position, which standard input does not allow")
        }
    }
}
