import CZlib
import Foundation
import QuireTesting
import Testing

@testable import Quire

@Suite("Checksum")
struct ChecksumTests {
    @Test func itIsThatOfTheRFC() {
        #expect(checksum([UInt8]("123456789".utf8)) == 0xcbf4_3926)
        #expect(checksum([]) == 0)
        #expect(checksum([], seed: 7) == 7)
    }

    /// Whatever is folded and whatever is left over, wherever it lies and whatever came before.
    @Test(arguments: [0, 1, 0xffff_ffff, 0xdead_beef] as [UInt32]) func itIsZlibs(seed: UInt32) {
        let bytes = [UInt8](TestBytes.noise(70_000, seed: UInt64(seed)))
        for count in Array(0...400) + [4095, 4096, 65_535, 65_536, 69_000] {
            for start in [0, 1, 15] {
                let part = Array(bytes[start..<start + count])
                let expected = unsafe UInt32(crc32_z(UInt(seed), part, part.count))
                #expect(count == 0 || checksum(part, seed: seed) == expected, "\(count) bytes")
            }
        }
    }

    @Test func itIsContinued() {
        let bytes = [UInt8](TestBytes.mixed(10_000))
        for cut in stride(from: 0, through: bytes.count, by: 97) {
            let first = checksum(Array(bytes[..<cut]))
            #expect(checksum(Array(bytes[cut...]), seed: first) == checksum(bytes))
        }
    }
}
