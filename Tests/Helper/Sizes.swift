import Foundation
import Quire

// Large stores in a process of their own, whose memory is theirs alone.

/// index PATH: opens a store and says what of this process is then resident besides, in bytes; of 20 rounds the least time that
/// opening it and that reading its index took, in microseconds; and what is resident besides after all of it was read.
func measureOpening(_ path: String) throws {
    let url = URL(fileURLWithPath: path)
    let file = FileDataProvider(fileURL: url)
    let footer = file.size - UInt64(DamagedStore.footerSize)
    // What the first use of a provider costs is not the index's.
    _ = try file.readBytes(DamagedStore.footerSize, at: footer)
    let before = Memory.resident
    let provider = try CompressedDataProvider(url: url)
    let growth = Memory.resident - before
    guard let last = try provider.blocks().last else { throw CocoaError(.fileReadCorruptFile) }
    let index = last.fileOffset + UInt64(last.memberSize)
    let clock = ContinuousClock()
    var (opening, reading) = (Duration.seconds(1000), Duration.seconds(1000))
    for _ in 0..<20 {
        let (bytes, opened) = (
            try clock.measure { _ = try file.readBytes(Int(footer - index), at: index) },
            try clock.measure { _ = try CompressedDataProvider(url: url) }
        )
        (opening, reading) = (min(opening, opened), min(reading, bytes))
    }
    for offset in stride(from: 0, to: provider.size, by: 4096) {
        _ = try provider.readData(withSize: 4096, atOffset: offset)
    }
    let all = Memory.resident - before
    // Nor would its time be the store's under a sanitizer.
    guard Memory.isKnown else { return say("unknown\n") }
    say("\(growth) \(opening.microseconds) \(reading.microseconds) \(all)\n")
}

/// zeros PATH GIB: makes a store of so many GiB of zeros, with a mark across each multiple of 4 GiB and at the end, reads it where it
/// may be wrong, and says what that took of memory, in bytes.
func storeZeros(_ path: String, gibibytes: Int) throws {
    let url = URL(fileURLWithPath: path)
    let (size, piece, limit) = (gibibytes << 30, 4 << 20, 1 << 32)
    func mark(_ number: Int) -> Data { Data("mark of \(number)".utf8) }
    let before = Memory.resident
    Memory.resetPeak()
    let sink = try CompressedDataSink(
        FileDataSink(fileURL: url), configuration: .init(level: 1))
    for start in stride(from: 0, to: size, by: piece) {
        var zeros = Data(count: piece)
        if (start + piece) % limit == 0 {
            let bytes = mark((start + piece) / limit).prefix(4)
            zeros.replaceSubrange(piece - bytes.count..<piece, with: bytes)
        } else if start % limit == 0, start > 0 {
            let bytes = mark(start / limit).dropFirst(4)
            zeros.replaceSubrange(0..<bytes.count, with: bytes)
        }
        guard sink.write(zeros) else { throw sink.failure ?? CocoaError(.fileWriteUnknown) }
    }
    guard sink.finish() else { throw sink.failure ?? CocoaError(.fileWriteUnknown) }
    try CompressedDataProvider(url: url).save(.append, Data("end".utf8))

    let provider = try CompressedDataProvider(url: url)
    guard provider.size == UInt64(size + 3), try provider.verify().isEmpty else {
        throw Finding("\(provider.size) bytes, with \(try provider.verify().count) damages")
    }
    func expect(_ bytes: Data, at offset: Int) throws {
        let found = try provider.readData(withSize: UInt64(bytes.count), atOffset: UInt64(offset))
        guard found == bytes else { throw Finding("other bytes at \(offset)") }
    }
    for number in 1...size / limit {
        let zeros = Data(count: 100)
        let isLast = number * limit == size
        let expected = isLast ? mark(number).prefix(4) + Data("end".utf8) : mark(number) + zeros
        try expect(zeros + expected, at: number * limit - 104)
        try expect(mark(number).prefix(4), at: number * limit - 4)
        if !isLast { try expect(mark(number).dropFirst(4), at: number * limit) }
        try expect(Data(count: 1 << 20), at: number * limit - limit / 2)
    }
    try expect(Data(count: 1 << 20), at: 0)
    guard try provider.readData(withSize: 10, atOffset: UInt64(size + 2)) == Data("d".utf8),
        try provider.readData(withSize: 10, atOffset: UInt64(size + 3)).isEmpty
    else { throw Finding("the end is not where it should be") }
    say("\(Memory.isKnown ? Memory.peak - before : 0)\n")
}

extension Duration {
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
