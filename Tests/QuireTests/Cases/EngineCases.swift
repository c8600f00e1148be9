import Dispatch
import Foundation
import QuireTesting
import Testing

@testable import Quire

/// The deflate engine at its edges.
@Suite("Cases F: engine")
struct EngineCases {
    @Test(arguments: Codec.levels)
    func case42NoBlockGrowsByMoreThanItsHeaders(level: Int) throws {
        let block = 65_536
        let sizes = Array(1...300) + stride(from: block - 300, through: block, by: 25)
        for size in sizes {
            let buffer = AlignedBuffer(capacity: size)
            let noise = TestBytes.noise(size, seed: UInt64(size))
            buffer.append(noise.bytes)
            for favor in Favor.allCases {
                let member = try EncodedBlock(
                    buffer, seal: 1, codec: Codec.standard, level: level, favor: favor)
                #expect(member.bytes.count <= size + 5 * ((size + 65_534) / 65_535) + 40)
            }
        }
    }

    @Test(arguments: [0, 1, 2])
    func case43BlocksOfNoneOneAndTwoBytes(size: Int) throws {
        let document = Data("ab".utf8.prefix(size))
        for level in Codec.levels {
            let stored = try store(document, level: level)
            #expect(try open(stored).data() == document)
            #expect(try gunzip(stored) == document)
        }
    }

    @Test(arguments: [65_535, 65_536, 65_537, 131_072])
    func case44StoredBlocksAreReadAcrossTheirInnerHeaders(size: Int) throws {
        let document = TestBytes.noise(size)
        let stored = try store(document, blockSize: 131_072)
        let provider = try open(stored)
        let block = try provider.blocks()[0]
        #expect(block.isStored && block.size == size)
        for _ in 0..<2 {  // at the first touch through the check, then straight from the store
            for offset in [0, 65_530, 65_534, 65_535, 65_536, size - 1] {
                for count in [1, 2, 10, 20_000, size] {
                    let end = min(offset + count, size)
                    #expect(
                        try provider.read(count, at: offset) == document[min(offset, end)..<end])
                }
            }
        }
        #expect(try gunzip(stored) == document)
    }

    @Test func case45DataOfEveryKindIsTaken() throws {
        let document = TestBytes.mixed(50_000)
        let padded = Data([1, 2, 3]) + document + Data([4])
        let slice = padded[3..<3 + document.count]
        #expect(slice.startIndex == 3)
        var pieces = DispatchData.empty
        for start in stride(from: 0, to: document.count, by: 7000) {
            let piece = Array(document[start..<min(start + 7000, document.count)])
            unsafe piece.withUnsafeBytes { unsafe pieces.append($0) }
        }
        for data in [slice, Data(pieces), slice.dropFirst(0)] {
            let stored = try store(data)
            #expect(try open(stored).data() == document)
            #expect(try DataContainerProvider(data: data).data() == document)
        }
    }

    @Test func deflateAndInflateAgreeOnEverySize() throws {
        for size in Array(1...100) + [4095, 4096, 65_535, 65_536] {
            let block = TestBytes.mixed(size, seed: UInt64(size))
            let deflated = AlignedBuffer(capacity: size + 100)
            try deflated.fill(upTo: size + 100) {
                let fits = try Codec.standard.deflate(
                    block.bytes, runs: [Run(byteCount: size, isStored: false)], into: &$0, level: 9)
                #expect(fits)
            }
            let inflated = AlignedBuffer(capacity: size)
            try deflated.withBytes { bytes in
                try inflated.fill(upTo: size) { try Codec.standard.inflate(bytes, into: &$0) }
            }
            #expect(inflated.withBytes { [UInt8]($0) } == [UInt8](block))
        }
    }
}
