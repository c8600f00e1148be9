import Foundation
import Quire
import QuireCrypto

let help = """
    Keeps a file small and secret: compressed, then encrypted with a passphrase.

    Usage: QUIRE_PASSPHRASE=... EncryptedStore FILE STORE

      FILE   what is packed
      STORE  the encrypted store, made or replaced

    Packs FILE, reads it back and compares, and shows what a wrong passphrase gives.
    """

/// The stack for a small and secret document: compression inside, encryption outside, the file last.
func open(_ store: URL, passphrase: String) throws -> CompressedDataProvider {
    let file = FileDataProvider(fileURL: store)
    return try CompressedDataProvider(
        AESCryptoDataProvider(file, secret: .passphrase { passphrase }))
}

/// Calls `body` with the document, MiB by MiB: no file is too large.
func forEachPart(of document: any DataProviding, _ body: (Data, UInt64) throws -> Void) throws {
    var offset: UInt64 = 0
    while offset < document.size {
        let part = try document.readData(withSize: 1 << 20, atOffset: offset)
        try body(part, offset)
        offset += UInt64(part.count)
    }
}

func run(_ file: URL, _ store: URL, passphrase: String) throws {
    let plain = try FileDataProvider(fileURL: file).makeSnapshot()  // throws if there is none
    let encrypted = try AESCryptoDataSink(
        FileDataSink(fileURL: store), secret: .passphrase { passphrase })
    let sink = try CompressedDataSink(encrypted)
    try forEachPart(of: plain) { part, _ in
        guard sink.write(part) else { throw sink.failure ?? CocoaError(.fileWriteUnknown) }
    }
    guard sink.finish() else { throw sink.failure ?? CocoaError(.fileWriteUnknown) }

    let document = try open(store, passphrase: passphrase)
    try forEachPart(of: document) { part, offset in
        guard try plain.readData(withSize: UInt64(part.count), atOffset: offset) == part else {
            throw CocoaError(.fileReadCorruptFile)
        }
    }
    print("document  \(document.size) bytes, read back and identical")
    print("store     \(FileDataProvider(fileURL: store).size) bytes, encrypted")
    print("disk cache of rendered pages allowed: \(document.useDiskCache)")

    do { _ = try open(store, passphrase: passphrase + "?") } catch let error as QuireError {
        print("wrong passphrase: \(error) (\(error.code))")
    }
}

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("EncryptedStore: \(message)\n".utf8))
    exit(status)
}

let arguments = CommandLine.arguments.dropFirst()
// From the environment: arguments are seen by every user of the machine.
let passphrase = ProcessInfo.processInfo.environment["QUIRE_PASSPHRASE"] ?? ""
if arguments.contains("--help") || arguments.contains("-h") {
    print(help)
    exit(0)
}
guard let file = arguments.first, let store = arguments.dropFirst().first, arguments.count == 2,
    !passphrase.isEmpty
else { fail("FILE, STORE and a passphrase are needed\n\n\(help)", status: 2) }
do {
    try run(URL(filePath: file), URL(filePath: store), passphrase: passphrase)
} catch let error as QuireError {
    fail(error.description, status: 1)
} catch {
    fail(error.localizedDescription, status: 1)
}
