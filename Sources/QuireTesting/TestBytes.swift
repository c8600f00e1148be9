public import Foundation

/// Bytes for tests: the same for the same seed, a part of them compressible.
public struct TestBytes: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence of this seed (SplitMix64).
    public init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Bytes that deflate cannot shrink.
    public static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var generator = TestBytes(seed: seed)
        var words = [UInt64](repeating: 0, count: (count + 7) / 8)
        for index in words.indices { words[index] = generator.next() }
        return unsafe words.withUnsafeBytes { unsafe Data($0.prefix(count)) }
    }

    /// Bytes like those of a PDF: runs of text, and runs that deflate cannot shrink.
    public static func mixed(_ count: Int, seed: UInt64 = 1) -> Data {
        var generator = TestBytes(seed: seed)
        var data = Data(capacity: count)
        while data.count < count {
            let number = generator.next()
            if number % 3 == 0 {
                data.append(noise(Int(number >> 8 % 6000), seed: number))
            } else {
                let text =
                    "\(number % 997) 0 obj << /Type /Page /Parent \(number % 89) 0 R >> endobj\n"
                for _ in 0...(number >> 16) % 60 { data.append(contentsOf: text.utf8) }
            }
        }
        return Data(data.prefix(count))
    }
}
