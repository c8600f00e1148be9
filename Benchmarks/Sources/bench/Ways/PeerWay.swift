import Foundation

/// Another library's form of random access.
struct PeerWay: Way {
    let name: String
    let form: String?
    let remark: String?
    let packsFairly: Bool
    let isShared = false
    let isSlow: Bool
    let differsInSizeAlone: Bool
    private let library: PeerLibrary
    private let setting: CInt
    private let usesCache: Bool

    /// What is known of a peer before its library is there.
    private struct Peer {
        var name: String
        var library: String
        /// Its level.
        var setting: CInt
        var usesCache = true
        var packsFairly = true
        var isSlow = false
        var differsInSizeAlone = false
        var remark: String?
    }

    private static let known = [
        Peer(
            name: "BGZF", library: "bgzf", setting: 6,
            remark:
                "htslib with bgzf_set_cache_size, .gzi and bgzf_useek; packs with a thread a core"
        ),
        Peer(
            name: "zstd -3", library: "zstd", setting: 3,
            remark:
                "contrib/seekable_format, 64 KiB frames; a 4 MiB LRU of ours in front, pread below"),
        Peer(
            name: "zstd -12", library: "zstd", setting: 12, differsInSizeAlone: true,
            remark: "the same, smaller"),
        Peer(
            name: "zstd -3 raw", library: "zstd", setting: 3, usesCache: false, packsFairly: false,
            isSlow: true, remark: "as it comes: no cache, stdio below"),
        Peer(
            name: "dictzip", library: "dictzip", setting: 6,
            remark: "58 KiB chunks, with a 4 MiB LRU; nothing is checked on a read"
        ),
        Peer(
            name: "dictzip raw", library: "dictzip", setting: 6, usesCache: false,
            packsFairly: false, isSlow: true,
            remark: "the same with the five chunks that dictd keeps"),
        Peer(
            name: "indexed_gzip", library: "indexed_gzip", setting: 6, usesCache: false,
            isSlow: true,
            remark: "points 4 MiB apart and a buffer of 1 MiB, no other cache; nothing is checked "
                + "on a read; packs with one thread, index included"),
        Peer(
            name: "rapidgzip", library: "rapidgzip", setting: 6, usesCache: false,
            remark:
                "not the ISA-L or zlib-ng of its wheels; not fair: "
                + "its own cache holds 16 chunks of 4 MiB and more, whole documents here, and it "
                + "prefetches on all cores; packs with one thread, index included"),
    ]

    /// The peers that are here, and by name why each other one is not.
    static func all() -> (ways: [any Way], missing: [String]) {
        var (ways, missing): ([any Way], [String]) = ([], [])
        for peer in known {
            do {
                let library = try PeerLibrary(peer.library)
                if peer.library == "dictzip", Tool("dictzip") == nil {
                    throw BenchError("the program that packs is not installed")
                }
                ways.append(PeerWay(peer, library))
            } catch {
                missing.append("\(peer.name): \(error)")
            }
        }
        return (ways, missing)
    }

    private init(_ peer: Peer, _ library: PeerLibrary) {
        name = peer.name
        form = "\(peer.library) \(peer.setting)"
        remark = library.version + (peer.remark.map { ": " + $0 } ?? "")
        packsFairly = peer.packsFairly
        isSlow = peer.isSlow
        differsInSizeAlone = peer.differsInSizeAlone
        setting = peer.setting
        usesCache = peer.usesCache
        self.library = library
    }

    func pack(_ document: URL, to packed: URL) throws {
        guard unsafe library.pack(document.path, packed.path, setting) == 0 else {
            throw BenchError("\(name) cannot pack \(document.path)")
        }
    }

    func open(_ url: URL, cacheByteBudget: Int) throws -> any Source {
        let budget = usesCache ? cacheByteBudget : 0
        guard let handle = unsafe library.open(url.path, budget) else {
            throw BenchError("\(name) cannot open what it packed as \(url.path)")
        }
        return unsafe PeerSource(handle, library)
    }
}

/// A file that a peer has open.
@safe private final class PeerSource: Source, @unchecked Sendable {
    // SAFETY: each thread that reads has a source of its own.
    private let handle: UnsafeMutableRawPointer
    private let library: PeerLibrary

    init(_ handle: UnsafeMutableRawPointer, _ library: PeerLibrary) {
        unsafe self.handle = handle
        self.library = library
    }

    deinit { unsafe library.close(handle) }

    func read(into output: inout OutputRawSpan, atOffset offset: UInt64) throws {
        try unsafe output.withUnsafeMutableBytes { buffer, initialized in
            // SAFETY: a peer writes at most `buffer.count` bytes, during the call.
            let count = unsafe library.read(handle, offset, buffer.baseAddress, buffer.count)
            guard count >= 0 else { throw BenchError("\(library.version) failed at \(offset)") }
            initialized = Int(count)
        }
    }
}
