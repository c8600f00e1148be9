import Foundation
import Quire
import QuireTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints at once: a process that is killed has said all that it knew.
func say(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
        // SAFETY: write reads only these bytes, during the call.
        unsafe _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
}

/// The name of an error and, if the system gave one, its number.
func name(of error: any Error) -> String {
    let error = error as? QuireError
    let number = (error?.underlying as? POSIXError)?.code.rawValue ?? 0
    return "\(error?.code.description ?? "other") \(number)"
}

extension DataProviding {
    func save(_ options: DataSinkOptions, _ data: Data) throws {
        let sink = try createDataSink(options: options)
        guard sink.write(data), sink.finish() else {
            throw (sink as? any OrderedDataSink)?.failure ?? CocoaError(.fileWriteUnknown)
        }
        try replaceContents(with: sink)
    }
}

/// A store, or with "plain" the file as it is.
func provider(_ form: String, _ path: String) throws -> any DataProviding {
    form == "plain" ? FileDataProvider(fileURL: URL(fileURLWithPath: path)) : try store(path)
}

func store(_ path: String) throws -> CompressedDataProvider {
    try CompressedDataProvider(
        FileDataProvider(fileURL: URL(fileURLWithPath: path)),
        configuration: .init(blockSize: 4096))
}

/// save store|new|plain PATH KIND SIZE SEED: "saved", or "failed", the error's name and number and the error; 3 then. The kind is
/// append, replace, compact, rollBack (to revision 2) or repair.
func save(_ arguments: [String]) throws {
    guard let size = Int(arguments[4]), let seed = UInt64(arguments[5]) else {
        throw CocoaError(.formatting)
    }
    let (path, bytes) = (arguments[2], SaveScript.bytes(size, seed: seed))
    do {
        switch (arguments[1], arguments[3]) {
        case ("new", _):
            let file = try FileDataSink(fileURL: URL(fileURLWithPath: path))
            let sink = try CompressedDataSink(file, configuration: .init(blockSize: 4096))
            guard sink.write(bytes), sink.finish() else {
                throw sink.failure ?? CocoaError(.fileWriteUnknown)
            }
        case (_, "compact"): try store(path).compact()
        case (_, "rollBack"): try store(path).rollBack(to: 2)
        case (_, "repair"): try repair(path)
        case (let form, let kind):
            try provider(form, path).save(kind == "append" ? .append : [], bytes)
        }
        say("saved\n")
    } catch {
        say("failed \(name(of: error)) \(error)\n")
        exit(3)
    }
}

/// What `quire repair` does to a store whose index is damaged.
private func repair(_ path: String) throws {
    let provider = FileDataProvider(fileURL: URL(fileURLWithPath: path))
    let repair = try StoreRepair(of: provider.makeSnapshot())
    guard !repair.repairs.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
    let sink = try provider.createDataSink(options: [])
    try repair.write(to: sink)
    try provider.replaceContents(with: sink)
}

/// script store|plain PATH SEED SIZELIMIT FIRST COUNT: the saves of a `SaveScript`, with a count of 0 for ever. Says "saved N" or
/// "failed N", the error's name and number and the error, and goes on; but a conflict ends it, as nobody else saves.
func runScript(_ arguments: [String]) throws {
    let numbers = arguments[3...].compactMap { Int($0) }
    guard numbers.count == 4 else { throw CocoaError(.formatting) }
    let script = SaveScript(seed: UInt64(numbers[0]), sizeLimit: numbers[1])
    let provider = try provider(arguments[1], arguments[2])
    var number = numbers[2]
    while numbers[3] == 0 || number < numbers[2] + numbers[3] {
        do {
            try provider.save(script.options(ofSave: number), script.bytes(ofSave: number))
            say("saved \(number)\n")
        } catch {
            say("failed \(number) \(name(of: error)) \(error)\n")
            if case QuireError.Code.conflict = error { throw error }
        }
        number += 1
    }
}

/// records PATH NAME COUNT REPLACE [paced]: appends as many lines "NAME:N", each until there is no conflict. Every
/// `REPLACE`th is added by replacing the document with itself and the line. Paced, each waits for a line of input.
func appendRecords(_ arguments: [String]) throws {
    guard let count = Int(arguments[3]), let every = Int(arguments[4]) else {
        throw CocoaError(.formatting)
    }
    let provider = try provider("store", arguments[1])
    let isPaced = arguments.last == "paced"
    var conflictCount = 0
    for number in 0..<count {
        if isPaced, readLine() == nil { return }
        let line = Data("\(arguments[2]):\(number)\n".utf8)
        while true {
            do {
                if every > 0, number % every == every - 1 {
                    // The sink first: what it is based on is what is read.
                    let sink = try provider.createDataSink(options: [])
                    let document = try provider.data() + line
                    guard sink.write(document), sink.finish() else {
                        throw (sink as? any OrderedDataSink)?.failure
                            ?? CocoaError(.fileWriteUnknown)
                    }
                    try provider.replaceContents(with: sink)
                } else {
                    try provider.save(.append, line)
                }
                break
            } catch QuireError.Code.conflict {
                conflictCount += 1
                provider.clearCache()
            }
        }
        say("saved \(number)\n")
    }
    say("conflicts \(conflictCount)\n")
}

/// hold PATH: opens the store, says "open", and for each line of input writes the document to the file that it names.
func hold(_ arguments: [String]) throws {
    let provider = try CompressedDataProvider(url: URL(fileURLWithPath: arguments[1]))
    say("open\n")
    while let path = readLine() {
        if path == "anew" {
            provider.clearCache()
        } else {
            try provider.data().write(to: URL(fileURLWithPath: path))
        }
        say("done\n")
    }
}
