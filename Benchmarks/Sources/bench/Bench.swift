import Foundation

@main
enum Bench {
    static func main() {
        do {
            guard let options = try Options(Array(CommandLine.arguments.dropFirst())) else {
                return say(Options.help)
            }
            if !options.reports.isEmpty {
                return try BenchmarksPage(Findings(options.reports.map(Report.init(at:)))).write()
            }
            #if DEBUG
                say("This is a debug build: nothing that follows means anything.")
            #endif
            let scratch = try makeScratch()
            defer { try? FileManager.default.removeItem(at: scratch) }
            var run = try Run(options, scratch: scratch)
            try run.run()
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    /// A folder for packed forms, which take much room: those of runs that were killed are removed first.
    private static func makeScratch() throws -> URL {
        let (files, prefix) = (FileManager.default, "quire-bench-")
        let folder = files.temporaryDirectory
        for name in try files.contentsOfDirectory(atPath: folder.path) where name.hasPrefix(prefix)
        {
            guard let process = pid_t(name.dropFirst(prefix.count)), kill(process, 0) != 0
            else { continue }
            try? files.removeItem(at: folder.appending(path: name))
        }
        let scratch = folder.appending(path: "\(prefix)\(getpid())")
        try files.createDirectory(at: scratch, withIntermediateDirectories: true)
        return scratch
    }
}

/// Prints a line at once, into a file too.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
