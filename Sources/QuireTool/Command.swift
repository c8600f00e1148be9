/// One command of the tool: what it says of itself, how it reads its arguments, what it does.
protocol Command: SendableMetatype {
    /// The word that calls it.
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// All that there is to know to use it, ending in a newline.
    static var help: String { get }
    /// The options that it takes, besides `--help`.
    static var options: Set<Option> { get }

    /// - Throws: `UsageError` if the arguments make no sense.
    init(_ arguments: Arguments) throws

    func run() throws -> ExitStatus
}

extension Command {
    /// Does the same to several files: one that fails is named, and the others still have their turn.
    ///
    /// - Returns: the worst status.
    func forEach(
        _ files: [String], _ body: (String) throws -> ExitStatus
    ) throws -> ExitStatus {
        var worst = ExitStatus.ok
        for file in files {
            do { worst = max(worst, try body(file)) } catch let interruption as Interruption {
                throw interruption
            } catch {
                let error = ToolError(error, in: file)
                Console.say(error.line)
                worst = max(worst, error.status)
            }
        }
        return worst
    }
}
