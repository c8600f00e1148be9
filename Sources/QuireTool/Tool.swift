import Foundation

/// Finds the command that a command line names, runs it, and says how it ended.
enum Tool {
    static let version = "0.1.0"
    static let commands: [any Command.Type] = [
        Pack.self, Cat.self, Unpack.self, Append.self, Info.self, Log.self, Rollback.self,
        Compact.self, Verify.self, Repair.self,
    ]

    /// - Parameter words: the command line without the name of the tool.
    static func run(_ words: [String]) -> ExitStatus {
        Console.prepare()
        do { return try dispatch(words) } catch let interruption as Interruption {
            return ExitStatus(code: 128 + interruption.signal)
        } catch {
            let error = ToolError(error, in: nil)
            Console.say(error.line)
            return error.status
        }
    }

    private static func dispatch(_ words: [String]) throws -> ExitStatus {
        guard let first = words.first else { throw UsageError("a command is missing").error(nil) }
        switch first {
        case "--version", "version":
            try Console.report("quire \(version)\n")
        case "--help", "-h":
            try Console.report(help)
        case "help":
            guard words.count <= 2 else { throw UsageError("help takes one COMMAND").error(nil) }
            let isOfCommand = words.count == 2 && words[1] != "help"
            try Console.report(isOfCommand ? command(named: words[1]).help : help)
        default:
            return try run(command(named: first), Array(words.dropFirst()))
        }
        return .ok
    }

    private static func run(_ type: any Command.Type, _ words: [String]) throws -> ExitStatus {
        let command: any Command
        do {
            let arguments = try Arguments(words, allowing: type.options)
            if arguments.has(.help) {
                try Console.report(type.help)
                return .ok
            }
            command = try type.init(arguments)
        } catch let error as UsageError { throw error.error(type.name) }
        return try command.run()
    }

    private static func command(named name: String) throws -> any Command.Type {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let what = name.hasPrefix("-") ? "option" : "command"
        throw UsageError("there is no \(what) \(name)").error(nil)
    }

    private static var help: String {
        let list = commands.map {
            "  " + $0.name.padding(toLength: 10, withPad: " ", startingAt: 0) + $0.summary + "\n"
        }
        return """
            usage: quire COMMAND [OPTIONS] FILE...

            Keeps PDFs, or any other files, in stores of independently compressed blocks: small on
            disk, readable at any offset without unpacking, saved by appending. A store is also an
            ordinary .gz file: gunzip gives the document back.

            commands:
            \(list.joined())
            options:
              -h, --help    this text; quire COMMAND --help tells all of a command
              --version     the version of this tool

            examples:
              quire pack report.pdf
              quire cat report.pdf.gz --offset 64K --length 100 | xxd
              quire append report.pdf.gz changes.bin
              quire verify *.pdf.gz

            exit status:
              0  all went well
              1  it failed: a file cannot be read or written, or is not a store
              2  the command line is wrong
              3  a store is damaged

            """
    }
}
