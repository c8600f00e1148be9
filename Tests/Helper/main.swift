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
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "decode":  // decode file|compressed ARCHIVE: the uid, then the document
        let provider = try decode(arguments[2], URL(fileURLWithPath: arguments[3]))
        try FileHandle.standardOutput.write(contentsOf: Data("\(provider.uid)\n".utf8))
        try FileHandle.standardOutput.write(contentsOf: provider.data())
    default: throw CocoaError(.featureUnsupported)
    }
} catch {
    try FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
    exit(1)
}
