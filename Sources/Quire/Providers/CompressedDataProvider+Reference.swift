public import Foundation

extension CompressedDataProvider: ReferencedDataProviding, NSSecureCoding {
    static let referenceKind = "compressed"

    /// The upstream's reference, and the configuration.
    public func reference() throws -> DataProviderReference {
        DataProviderReference(
            kind: Self.referenceKind, options: configuration.options,
            upstream: try DataProviderReference(to: upstream.provider))
    }

    /// Opens what a reference names.
    static func open(_ reference: DataProviderReference) throws -> Opened {
        guard let upstream = reference.upstream else {
            throw QuireError(
                .invalidArgument, "a reference to a compressed provider has no upstream")
        }
        return try Opened(
            upstream.resolve(), configuration: Configuration(reference.options))
    }

    /// Archives hold the reference, not the document.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the reference.
    public func encode(with coder: NSCoder) { DataProviderReference.encode(self, with: coder) }

    /// Reads a reference and opens the store. Nil if that cannot be done; the decoder has the error.
    public convenience init?(coder: NSCoder) {
        let opened = DataProviderReference.decode(coder, kind: Self.referenceKind) {
            try Self.open($0)
        }
        guard let opened else { return nil }
        self.init(opened)
    }
}

extension CompressedDataProvider.Configuration {
    /// As a reference holds it.
    fileprivate var options: [String: String] {
        [
            "level": "\(level)", "favor": favor.rawValue, "blockSize": "\(blockSize)",
            "cacheByteBudget": "\(cacheByteBudget)",
        ]
    }

    /// - Throws: `invalidArgument` for values that are none; what lacks has its default.
    fileprivate init(_ options: [String: String]) throws {
        self.init()
        func number(_ key: String, _ standard: Int) throws -> Int {
            guard let text = options[key] else { return standard }
            guard let number = Int(text) else {
                throw QuireError(.invalidArgument, "the \(key) of a reference is '\(text)'")
            }
            return number
        }
        if let text = options["favor"] {
            guard let favor = Favor(rawValue: text) else {
                throw QuireError(.invalidArgument, "the favor of a reference is '\(text)'")
            }
            self.init(favor: favor)
        }
        level = try number("level", level)
        blockSize = try number("blockSize", blockSize)
        cacheByteBudget = try number("cacheByteBudget", cacheByteBudget)
    }
}
