import Foundation
import QuireTesting

/// What may happen to stored bytes.
enum Damage: Sendable, CustomStringConvertible {
    case flip(Int, UInt8)
    case cut(Int)
    case delete(Range<Int>)
    case zero(Range<Int>)
    /// Bytes once more, between others.
    case duplicate(Range<Int>, at: Int)
    /// Bytes once more, in the place of others.
    case overwrite(Range<Int>, at: Int)
    case swap(Range<Int>, Range<Int>)
    /// The first bytes, and behind them the other store's from a place on.
    case splice(Int, from: Int)

    var description: String {
        switch self {
        case .flip(let place, let mask): "byte \(place) ^ \(mask)"
        case .cut(let size): "cut to \(size)"
        case .delete(let range): "\(range) deleted"
        case .zero(let range): "\(range) zeroed"
        case .duplicate(let range, let place): "\(range) again at \(place)"
        case .overwrite(let range, let place): "\(range) over \(place)"
        case .swap(let one, let two): "\(one) and \(two) swapped"
        case .splice(let size, let start): "\(size) bytes and the other's from \(start) on"
        }
    }

    func applied(to stored: Data, _ other: Data) -> Data {
        var image = stored
        switch self {
        case .flip(let place, let mask): image[place] ^= mask
        case .cut(let size): image = stored.prefix(size)
        case .delete(let range): image.removeSubrange(range)
        case .zero(let range): image.resetBytes(in: range)
        case .duplicate(let range, let place):
            image.insert(contentsOf: stored[range], at: place)
        case .overwrite(let range, let place):
            let end = min(place + range.count, stored.count)
            image.replaceSubrange(place..<end, with: stored[range].prefix(end - place))
        case .swap(let one, let two):
            image =
                stored[..<one.lowerBound] + stored[two] + stored[one.upperBound..<two.lowerBound]
                + stored[one] + stored[two.upperBound...]
        case .splice(let size, let start): image = stored.prefix(size) + other.dropFirst(start)
        }
        return Data(image)
    }

    // MARK: Campaigns

    static func flips(of store: DamagedStore) -> [Damage] {
        store.stored.indices.flatMap { place in
            ([0x01, 0x10, 0x80, 0xff] as [UInt8]).map { .flip(place, $0) }
        }
    }

    static func cuts(of store: DamagedStore) -> [Damage] { store.stored.indices.map { .cut($0) } }

    /// Ranges between the edges of members and of sectors, and others at random.
    static func ranges(of store: DamagedStore, count: Int, random: inout TestBytes) -> [Damage] {
        let size = store.stored.count
        let sectors = stride(from: 512, to: size, by: 512)
        let edges = (store.boundaries + sectors).sorted()
        func range() -> Range<Int> {
            let isRandom = random.next() % 2 == 0
            let one = isRandom ? Int.random(in: 0...size, using: &random) : edge()
            let two = isRandom ? one + Int.random(in: -100...300, using: &random) : edge()
            return min(one, max(two, 0))..<min(size, max(one, two))
        }
        func edge() -> Int { edges[Int.random(in: edges.indices, using: &random)] }
        var damages: [Damage] = []
        for (index, start) in edges.enumerated() where size < 20_000 {
            for end in edges[(index + 1)...] where end > start {
                damages += [.delete(start..<end), .zero(start..<end)]
                damages += [.duplicate(start..<end, at: end), .duplicate(start..<end, at: size)]
            }
        }
        for _ in 0..<count {
            let (one, two) = (range(), range())
            switch random.next() % 5 {
            case 0: damages.append(.delete(one))
            case 1: damages.append(.zero(one))
            case 2: damages.append(.duplicate(one, at: edge()))
            case 3: damages.append(.overwrite(one, at: min(two.lowerBound, size)))
            default:
                let (first, last) = one.lowerBound < two.lowerBound ? (one, two) : (two, one)
                if first.upperBound <= last.lowerBound { damages.append(.swap(first, last)) }
            }
        }
        return damages
    }

    /// The other store's tail at the same place, and from around the edges of its members on at those of this one.
    static func splices(of store: DamagedStore, with other: DamagedStore) -> [Damage] {
        let same = (0...min(store.stored.count, other.stored.count)).map {
            Damage.splice($0, from: $0)
        }
        func places(_ store: DamagedStore) -> [Int] {
            Set(store.boundaries.flatMap { [$0 - 1, $0, $0 + 1, $0 + 20] })
                .filter { 0...store.stored.count ~= $0 }.sorted()
        }
        return same
            + places(store).flatMap { size in places(other).map { .splice(size, from: $0) } }
    }
}
