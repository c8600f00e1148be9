import Foundation

// Names of files are bytes, and Foundation knows only those that are UTF-8.
let isText = (0..<Int(CommandLine.argc)).allSatisfy { index in
    unsafe CommandLine.unsafeArgv[index].flatMap { unsafe String(validatingCString: $0) } != nil
}
if !isText {
    Console.say("an argument is not UTF-8; such a file must be renamed")
    exit(ExitStatus.usage.code)
}
Limits.check()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).code)
