// A document that never touches a disk: CompressedDataProvider over DataContainerProvider.
import Foundation
import Quire

var document = Data()
for page in 1...2000 { document += Data("page \(page): all work and no play\n".utf8) }

// A store in memory. The stored bytes are an ordinary Data, to be sent or kept anywhere.
let memory = DataContainerProvider(data: Data())
let provider = try CompressedDataProvider.create(in: memory)
let sink = try provider.createDataSink(options: [])
guard sink.write(document), sink.finish() else { throw CocoaError(.fileWriteUnknown) }
try provider.replaceContents(with: sink)
print("\(provider.size) bytes in \(memory.size)")

// Reads at any offset, from any thread.
let part = try provider.readData(withSize: 20, atOffset: 40_000)
guard part == document[40_000..<40_020] else { throw CocoaError(.fileReadCorruptFile) }

// A snapshot stays what it is, whatever is saved.
let before = try provider.makeSnapshot()
let save = try provider.createDataSink(options: .append)
guard save.write(Data("The end\n".utf8)), save.finish() else {
    throw CocoaError(.fileWriteUnknown)
}
try provider.replaceContents(with: save)
print("\(before.size) bytes before the save, \(provider.size) after it")

// The same bytes open elsewhere.
let copy = try CompressedDataProvider(DataContainerProvider(data: memory.data()))
guard try copy.data() == document + Data("The end\n".utf8) else {
    throw CocoaError(.fileReadCorruptFile)
}
print("\(copy.uid == provider.uid ? "the same" : "another") document: \(copy.size) bytes")
