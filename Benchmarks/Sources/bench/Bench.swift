import Dispatch
import Foundation

@main
enum Bench {
    static func main() {
        do {
            guard let options = try Options(Array(CommandLine.arguments.dropFirst())) else {
                return say(Options.help)
            }
            #if DEBUG
                say("This is a debug build: nothing that follows means anything.")
            #endif
            let scratch = FileManager.default.temporaryDirectory.appending(
                path: "quire-bench-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: scratch, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: scratch) }
            let signals = [SIGINT, SIGTERM].map { removing(scratch, on: $0) }
            defer { signals.forEach { $0.cancel() } }
            var run = try Run(options, scratch: scratch)
            try run.run()
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Packed forms take much room: none are left behind by a run that is stopped.
    private static func removing(_ scratch: URL, on number: Int32) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            try? FileManager.default.removeItem(at: scratch)
            exit(128 + number)
        }
        _ = signal(number, SIG_IGN)
        source.resume()
        return source
    }
}

/// Prints a line at once, into a file too.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
