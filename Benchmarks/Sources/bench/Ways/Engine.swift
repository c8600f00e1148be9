import Quire

/// What deflates and inflates in stores. Each is a build of its own: one program has one engine.
enum Engine: String, Codable, CaseIterable {
    case zlib, libdeflate

    #if Libdeflate
        static let here = Engine.libdeflate
    #else
        static let here = Engine.zlib
    #endif

    /// How the names of its stores begin.
    var prefix: String { "Quire \(self)" }

    /// What stores by one of its settings are called. Level 6 goes without saying.
    func name(_ favor: Favor, level: Int = 6) -> String {
        prefix + (level == 6 ? "" : " \(level)") + " \(favor)"
    }

    /// Its highest level.
    var topLevel: Int { self == .zlib ? 9 : 12 }
}
