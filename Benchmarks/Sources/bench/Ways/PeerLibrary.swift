import Foundation

/// A library that Benchmarks/peers/build.sh has made, by the functions of peers/peer.h.
@safe final class PeerLibrary: Sendable {
    typealias Version = @convention(c) () -> UnsafePointer<CChar>
    typealias Pack =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, CInt) -> CInt
    typealias Open = @convention(c) (UnsafePointer<CChar>, Int) -> UnsafeMutableRawPointer?
    typealias Read =
        @convention(c) (UnsafeMutableRawPointer, UInt64, UnsafeMutableRawPointer?, Int) -> Int64
    typealias Close = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The library that is measured, and its version.
    let version: String
    let pack: Pack
    let open: Open
    let read: Read
    let close: Close

    static let folder = Corpus.build.appending(path: "peers")

    /// Never unloaded.
    init(_ name: String) throws {
        let path = Self.folder.appending(path: name + ".so").path
        guard FileManager.default.fileExists(atPath: path) else {
            throw BenchError("not built: Benchmarks/peers/build.sh --fetch says why, or builds it")
        }
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
            throw BenchError("cannot be loaded: \(reason)")
        }
        func find<F>(_ symbol: String, as type: F.Type = F.self) throws -> F {
            guard let address = unsafe dlsym(handle, symbol) else {
                throw BenchError("\(path) has no \(symbol)")
            }
            // SAFETY: the types above are those of peers/peer.h.
            return unsafe unsafeBitCast(address, to: type)
        }
        let version: Version = try unsafe find("peer_version")
        self.version = unsafe String(cString: version())
        unsafe pack = try find("peer_pack")
        unsafe open = try find("peer_open")
        unsafe read = try find("peer_read")
        unsafe close = try find("peer_close")
    }

    /// Builds what can be built; says nothing, as what is missing is named when it is asked for.
    static func build() throws {
        let script = Corpus.package.appending(path: "Benchmarks/peers/build.sh")
        _ = try Tool(at: script).status([])
    }
}
