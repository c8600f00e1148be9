// Stores a file, reads it back at any offset, appends to it, and sees the history: CompressedFile PDF STORE.gz
import Foundation
import Quire

guard CommandLine.arguments.count == 3 else {
    print("usage: CompressedFile PDF STORE.gz")
    exit(2)
}
let pdf = URL(fileURLWithPath: CommandLine.arguments[1])
let url = URL(fileURLWithPath: CommandLine.arguments[2])

// Pack: the store appears whole, or not at all.
let document = try FileDataProvider(fileURL: pdf).data()
let packing = try CompressedDataSink(
    FileDataSink(fileURL: url), configuration: .init(favor: .balanced))
guard packing.write(document), packing.finish() else {
    throw packing.failure ?? CocoaError(.fileWriteUnknown)
}

// Read: every block is checked before its first byte is given.
let provider = try CompressedDataProvider(url: url)
for offset in stride(from: 0, to: provider.size, by: 4001) {
    let part = try provider.readData(withSize: 4096, atOffset: offset)
    guard part == document.dropFirst(Int(offset)).prefix(4096) else {
        throw CocoaError(.fileReadCorruptFile)
    }
}
let info = try provider.info()
print("\(info.documentSize) bytes in \(info.storedSize), \(info.blockCount) blocks")

// Append, as an incremental save does. The sink says whether it took the bytes; the commit throws why not.
let save = try provider.createDataSink(options: .append)
_ = save.write(Data("% a comment at the end\n".utf8)) && save.finish()
try provider.replaceContents(with: save)
for revision in try provider.history() {
    print("revision \(revision.revision): \(revision.documentSize) bytes")
}

// Of two saves that begin with the same revision the second one is refused, and nothing is lost.
let (mine, theirs) = try (provider.createDataSink(), provider.createDataSink())
_ = mine.write(document) && mine.finish()
_ = theirs.write(Data()) && theirs.finish()
try provider.replaceContents(with: mine)
do {
    try provider.replaceContents(with: theirs)
    print("the conflict was not seen")
    exit(1)
} catch QuireError.Code.conflict {
    print("the second save: conflict")
}
guard try provider.verify().isEmpty, try provider.data() == document else {
    throw CocoaError(.fileReadCorruptFile)
}
print("sound")
