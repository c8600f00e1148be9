package import Foundation
package import Quire

/// Saves one after another, whose every document is known from the number of saves that were made.
///
/// A process that saves and one that looks at what is left of it agree on this and on nothing else.
package struct SaveScript: Sendable {
    /// The first bytes of every random sequence.
    package let seed: UInt64
    /// Save number 0 and every one whose number this divides replace the document, the others append to it.
    package let replaceEvery: Int
    /// The greatest save.
    package let sizeLimit: Int

    package init(seed: UInt64, replaceEvery: Int = 5, sizeLimit: Int = 70_000) {
        self.seed = seed
        self.replaceEvery = replaceEvery
        self.sizeLimit = sizeLimit
    }

    package func options(ofSave number: Int) -> DataSinkOptions {
        number % replaceEvery == 0 ? [] : .append
    }

    /// What a save writes: often little, sometimes nothing, sometimes more than is staged in memory.
    package func bytes(ofSave number: Int) -> Data {
        var random = TestBytes(seed: seed &+ UInt64(number) &* 0x1_0001)
        let sizes = [0, 1, 300, 3000, 5000, 9000, 33_000, 70_000, 1_300_000, 2_500_000]
        let size = sizes[Int.random(in: 0..<sizes.count, using: &random)]
        return Self.bytes(min(size, sizeLimit), seed: random.next())
    }

    /// The bytes of a save: such as deflate cannot shrink, if the append is to be staged in a file.
    package static func bytes(_ count: Int, seed: UInt64) -> Data {
        count > 1 << 20
            ? TestBytes.noise(count, seed: seed) : TestBytes.mixed(count, seed: seed)
    }

    /// The document that these saves make, one after another.
    package func document(afterSaves numbers: some Sequence<Int>) -> Data {
        numbers.reduce(into: Data()) { document, number in
            if options(ofSave: number).isEmpty { document = Data() }
            document.append(bytes(ofSave: number))
        }
    }

    /// The document that this save and all before it make, or none of them if it is -1.
    package func document(afterSave number: Int) -> Data {
        document(afterSaves: max(0, number - number % replaceEvery)..<number + 1)
    }
}
