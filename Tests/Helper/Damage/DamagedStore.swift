import Foundation
import Quire
import QuireTesting

/// A store that is to be damaged, and all that it may be read as.
struct DamagedStore: Sendable {
    enum Save {
        case append(Data), replace(Data), rollBack(UInt64)
    }

    let name: String
    let blockSize: Int
    private(set) var stored = Data()
    /// The document after each commit that the stored bytes hold; the last is the present one.
    private(set) var documents: [Data] = []
    /// Where these commits end.
    private(set) var ends: [Int] = []
    /// The document that a torn append behind the last commit was to make.
    private(set) var torn: Data?
    /// The document of a store that lies within the document.
    private(set) var inner: Data?
    /// The blocks of the present document.
    private(set) var blocks: [BlockInfo] = []

    static let footerSize = 146

    var document: Data { documents[documents.count - 1] }
    var end: Int { ends[ends.count - 1] }

    /// Where members begin, and the end of the stored bytes.
    var boundaries: [Int] {
        let blocks = blocks.flatMap { [Int($0.fileOffset), Int($0.fileOffset) + $0.memberSize] }
        let footers = ends.flatMap { [$0 - Self.footerSize, $0] }
        return Set(blocks + footers + [0, stored.count]).sorted()
    }

    /// - Parameters:
    ///   - base: the store that is saved to; an empty one if it is nil.
    ///   - tornBy: bytes that the last save lacks.
    ///   - tail: what then follows.
    init(
        _ name: String, blockSize: Int = 512, level: Int = 6, continuing base: DamagedStore? = nil,
        _ saves: [Save], tornBy: Int = 0, tail: Data = Data(), inner: DamagedStore? = nil
    ) throws {
        let upstream = DataContainerProvider(data: base?.stored ?? Data())
        let configuration = CompressedDataProvider.Configuration(
            level: level, blockSize: blockSize)
        let provider =
            try base == nil
            ? CompressedDataProvider.create(in: upstream, configuration: configuration)
            : CompressedDataProvider(upstream, configuration: configuration)
        self.name = name
        self.blockSize = blockSize
        self.inner = inner?.document
        documents = base?.documents ?? [Data()]
        func look() throws {
            blocks = try provider.blocks()
            ends = try provider.history().reversed().map { Int($0.storedSize) }
        }
        for save in saves {
            try look()
            let before = document
            switch save {
            case .append(let data) where before.isEmpty: documents = [data]
            case .append(let data): documents.append(before + data)
            case .replace(let data): documents = [data]
            case .rollBack: break
            }
            switch save {
            case .append(let data): try provider.save(.append, data)
            case .replace(let data): try provider.save([], data)
            case .rollBack(let revision):
                documents.removeLast(try provider.rollBack(to: revision).count)
            }
        }
        if tornBy > 0 { torn = documents.removeLast() } else { try look() }
        stored = try upstream.data().dropLast(tornBy) + tail
    }

    /// Where blocks begin in the document, those of a torn append included.
    var starts: [Int] {
        blocks.map { Int($0.offset) }
            + stride(from: document.count, to: torn?.count ?? 0, by: blockSize)
    }

    /// Whether an image has this block where this store has it.
    func has(_ block: BlockInfo, in image: Data) -> Bool {
        let range = Int(block.fileOffset)..<Int(block.fileOffset) + block.memberSize
        return blocks.contains {
            $0.fileOffset == block.fileOffset && $0.checksum == block.checksum
        }
            && range.upperBound <= image.count && image[range] == stored[range]
    }

    /// Whether both were appended to from one store on: a salvage that has no index cannot tell their blocks from each other.
    func isFork(of other: DamagedStore) -> Bool {
        ends[0] == other.ends[0] && stored.prefix(ends[0]) == other.stored.prefix(ends[0])
    }

    // MARK: Stores

    /// Lines that deflate shrinks, different at every offset.
    static func text(_ count: Int, seed: Int = 1) -> Data {
        let lines = (0...count / 8).map {
            String(format: "%07d\n", ($0 + seed) * 7919 % 10_000_000)
        }
        return Data(lines.joined().utf8.prefix(count))
    }

    /// Stores of several forms, of some KB each.
    static func small() throws -> [DamagedStore] {
        let four: [Save] = [
            .append(TestBytes.mixed(1300)), .append(text(900)), .append(Data()),
            .append(TestBytes.noise(300)),
        ]
        let many = (0..<12).map { Save.append(TestBytes.mixed($0 * 37 % 160, seed: UInt64($0))) }
        // What a document may contain: a store of its own.
        let inner = try DamagedStore("", [.append(text(700))])
        let nested = Save.append(
            TestBytes.noise(300) + inner.stored + TestBytes.noise(200, seed: 2))
        return [
            try DamagedStore("empty", []),
            try DamagedStore("four saves", four),
            try DamagedStore("many saves", [.append(text(1100))] + many),
            try DamagedStore("text", blockSize: 1024, [.append(text(4000))]),
            try DamagedStore("noise", [.append(TestBytes.noise(3000))]),
            try DamagedStore(
                "mixed", blockSize: 4096,
                [.append(TestBytes.mixed(9000, seed: 1)), .append(TestBytes.mixed(5000, seed: 2))]),
            try DamagedStore(
                "replaced", blockSize: 1024,
                [
                    .append(text(3000)), .replace(text(2500, seed: 9)),
                    .append(TestBytes.noise(700)),
                ]),
            try DamagedStore(
                "rolled back", four + [.rollBack(3), .append(text(600)), .append(text(90))]),
            try DamagedStore("torn in a block", four + [.append(text(2000))], tornBy: 400),
            try DamagedStore("torn in a footer", four, tornBy: 60),
            try DamagedStore("zeros behind", four, tail: Data(count: 700)),
            try DamagedStore("nested", blockSize: 4096, level: 0, [nested, nested], inner: inner),
            try DamagedStore(
                "nested and torn", blockSize: 4096, level: 0, [nested, nested], tornBy: 300,
                inner: inner),
        ]
    }

    /// A store with an index of more than one member.
    static func large() throws -> DamagedStore {
        try DamagedStore(
            "1,400 blocks", level: 1,
            [.append(Data(repeating: 0x61, count: 1400 * 512)), .append(text(100))])
    }

    /// Stores each of which may get the tail of the other.
    static func pairs() throws -> [(DamagedStore, DamagedStore)] {
        let stem = try DamagedStore("stem", [.append(TestBytes.noise(1500))])
        func pair(
            _ name: String, from base: DamagedStore? = nil, _ sizes: [Int],
            _ bytes: @escaping (_ count: Int, _ seed: Int) -> Data
        ) throws -> (DamagedStore, DamagedStore) {
            func store(_ seed: Int) throws -> DamagedStore {
                let saves = sizes.enumerated().map { Save.append(bytes($1, seed + $0)) }
                return try DamagedStore("\(name) \(seed)", continuing: base, saves)
            }
            return (try store(10), try store(20))
        }
        let noise = { (count: Int, seed: Int) in TestBytes.noise(count, seed: UInt64(seed)) }
        let mixed = { (count: Int, seed: Int) in TestBytes.mixed(count, seed: UInt64(seed)) }
        return [
            try pair("noise", [2000, 300], noise),
            try pair("mixed", [1500, 400], mixed),
            // One store that went two ways: even the tag is the same.
            try pair("forked", from: stem, [700, 300], noise),
            try pair("forked often", from: stem, [300, 40, 600, 5, 600], noise),
            try pair("forked text", from: stem, [700, 1300, 200]) { text($0, seed: $1) },
            try pair("forked mixed", from: stem, [900, 300], mixed),
            // Two revisions of one store that was written anew, and of one that was not.
            (stem, try DamagedStore("rewritten", continuing: stem, [.replace(noise(1500, 2))])),
            (stem, try DamagedStore("appended", continuing: stem, [.append(noise(900, 3))])),
        ]
    }
}
