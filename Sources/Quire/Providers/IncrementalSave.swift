public import Foundation

/// Takes an incremental save as editors write it, and appends what it adds.
///
/// PDFium, MuPDF and pypdf write the present document once more, and what changed behind it. What is written here is compared
/// with the present document as far as that goes, and not stored again: the save costs what it adds, and one read of the
/// document. An editor that had another document open, or wrote it otherwise, fails the save with `conflict`.
///
/// ```swift
/// let save = try IncrementalSave(of: provider)
/// let writer = PDFiumFileWriter(save)
/// FPDF_SaveAsCopy(document, writer.pointer.assumingMemoryBound(to: FPDF_FILEWRITE.self), FPDF_INCREMENTAL)
/// if let error = writer.error { throw error }
/// try save.commit()
/// ```
///
/// As any sink it has one writer at a time, and leaves nothing behind if it is dropped.
public final class IncrementalSave: OrderedDataSink {
    /// Always `.append`.
    public let options: DataSinkOptions = .append
    private let provider: any DataProviding & Sendable
    private let base: any DataProviding & Sendable
    private let sink: any DataSink
    private var life = SinkLife()
    private var compared: UInt64 = 0

    /// Begins a save of the provider's present contents.
    ///
    /// - Throws: what `createDataSink(options:)` and making a snapshot throw.
    public init(of provider: any DataProviding & Sendable) throws {
        self.provider = provider
        // In this order: a save in between makes the sink's base the older one, and the commit a conflict.
        sink = try provider.createDataSink(options: .append)
        base = try Upstream(provider).view()
    }

    /// Whether `finish()` has been called.
    public var isFinished: Bool { life.isFinished }
    /// Why the save failed; nil if it has not.
    public var failure: (any Error)? { life.failure }

    /// Compares these bytes with the document's, or appends them where it has ended.
    ///
    /// - Returns: false if they differ, the document cannot be read, or they could not be taken.
    public func write(_ data: Data) -> Bool {
        life.step {
            var rest = data[...]
            while !rest.isEmpty, compared < base.size {
                let start = compared
                let part = try base.readData(
                    withSize: UInt64(min(rest.count, 1 << 20)), atOffset: start)
                guard !part.isEmpty, part == rest.prefix(part.count) else {
                    let equal = zip(part, rest).prefix { $0 == $1 }.count
                    throw QuireError(
                        .conflict,
                        "the save is not one of the present document: byte \(start + UInt64(equal)) differs"
                    )
                }
                compared += UInt64(part.count)
                rest = rest.dropFirst(part.count)
            }
            if !rest.isEmpty { try sink.put(rest) }
        }
    }

    /// Says that no more bytes come: those of the document must have.
    public func finish() -> Bool {
        life.finish {
            guard compared == base.size else {
                throw QuireError(
                    .conflict,
                    "the save ends after \(compared) of the \(base.size) bytes of the present document"
                )
            }
            try sink.close()
        }
    }

    /// Finishes the save and makes it the present revision, in one step.
    ///
    /// - Throws: the cause of a failed write; `conflict`; what `replaceContents(with:)` throws. The document is then as it was,
    ///   unless the error is `notDurable`.
    public func commit() throws {
        _ = finish()
        try life.spend()
        try provider.replaceContents(with: sink)
    }

    /// Nothing to do: a save becomes visible in one step.
    public func barrier() -> Bool { life.step {} }

    /// Not possible: the save continues all of the document.
    public func discardBase(beyond size: UInt64) -> Bool { false }
}
