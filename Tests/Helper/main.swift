import Foundation
import Quire

// What tests let another process do. Prints its result; says what is wrong and ends with 1.

/// Decodes an archive of a provider of the class that is named.
func decode(_ name: String, _ url: URL) throws -> any DataProviding {
    let data = try Data(contentsOf: url)
    let provider: (any DataProviding)? =
        name == "compressed"
        ? try NSKeyedUnarchiver.unarchivedObject(ofClass: CompressedDataProvider.self, from: data)
        : try NSKeyedUnarchiver.unarchivedObject(ofClass: FileDataProvider.self, from: data)
    guard let provider else { throw CocoaError(.coderReadCorrupt) }
    return provider
}

do {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "as" {  // as UID ...: with the rights of this user
        guard let user = UInt32(arguments[1]), setgroups(0, nil) == 0, setgid(user) == 0,
            setuid(user) == 0
        else { throw POSIXError(.EPERM) }
        arguments.removeFirst(2)
    }
    switch arguments.first {
    case "decode":  // decode file|compressed ARCHIVE: the uid, then the document
        let provider = try decode(arguments[1], URL(fileURLWithPath: arguments[2]))
        say("\(provider.uid)\n")
        try FileHandle.standardOutput.write(contentsOf: provider.data())
    case "save": try save(arguments)
    case "script": try runScript(arguments)
    case "records": try appendRecords(arguments)
    case "hold": try hold(arguments)
    case "index": try measureOpening(arguments[1])
    case "zeros":
        guard let count = Int(arguments[2]) else { throw CocoaError(.formatting) }
        try storeZeros(arguments[1], gibibytes: count)
    case "damage":  // damage flips|cuts|ranges|splices STEP SEED
        guard let step = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
            throw CocoaError(.formatting)
        }
        try DamageCampaign(kind: arguments[1], step: step, seed: seed).run()
    default: throw CocoaError(.featureUnsupported)
    }
} catch {
    try FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
    exit(1)
}
