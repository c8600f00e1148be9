#if canImport(PSPDFKit)
    public import Foundation
    public import PSPDFKit
    public import Quire
    import Synchronization

    /// Any Quire provider as a data provider of the SDK: `Document(dataProviders: [try SDKDataProvider(storeURL: url)])`.
    ///
    /// A shell: what it does is Quire's, and errors are `QuireError`s, which have the SDK's codes where it has one. It is
    /// archived as the provider's reference; a provider in memory has none, and decodes to nil. From Objective-C it is
    /// `QuireDataProvider`; see QuireSDK.h.
    #if canImport(ObjectiveC)
        @objc(QuireDataProvider)
    #endif
    public final class SDKDataProvider: NSObject, PSPDFKit.DataProviding, @unchecked Sendable {
        // SAFETY: `signature` is all that changes, and is read and written under the mutex.
        private let signatures = Mutex<Data?>(nil)
        /// The provider that does the work.
        public let provider: any Quire.DataProviding & Sendable

        /// Wraps a provider.
        public init(_ provider: any Quire.DataProviding & Sendable) {
            self.provider = provider
        }

        /// A store in a file. It must exist: `CompressedDataProvider.create(in:)` makes one.
        public convenience init(storeURL: URL) throws {
            self.init(try CompressedDataProvider(url: storeURL))
        }

        /// Makes a store of an empty document in a new file, and opens it.
        #if canImport(ObjectiveC)
            @objc(createStoreAtURL:error:)
        #endif
        public static func createStore(at storeURL: URL) throws -> SDKDataProvider {
            Self(try CompressedDataProvider.create(in: FileDataProvider(fileURL: storeURL)))
        }

        // MARK: Reading

        public func data() throws -> Data { try provider.data() }
        public var size: UInt64 { provider.size }
        public var uid: String { provider.uid }
        public var additionalOperationsSupported: PSPDFKit.DataProvidingAdditionalOperations {
            .init(rawValue: provider.additionalOperationsSupported.rawValue)
        }
        public func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
            try provider.readData(withSize: size, atOffset: offset)
        }
        /// Kept for the SDK, which sets it; neither archived nor looked at.
        public var signature: Data? {
            get { signatures.withLock { $0 } }
            set { signatures.withLock { $0 = newValue } }
        }
        public var progress: Progress? { provider.progress }
        public var error: (any Error)? { provider.error }
        public var useDiskCache: Bool { provider.useDiskCache }
        public func clearCache() { provider.clearCache() }

        // MARK: Saving

        public var canWrite: Bool { provider.canWrite }

        public func createDataSink(
            options: PSPDFKit.DataSinkOptions = []
        ) throws -> any PSPDFKit.DataSink {
            let options = Quire.DataSinkOptions(rawValue: options.rawValue)
            return SDKDataSink(try provider.createDataSink(options: options))
        }

        public func replaceContents(
            with replacementDataSink: any PSPDFKit.DataSink
        ) throws {
            guard let shell = replacementDataSink as? SDKDataSink else {
                throw QuireError(.foreignSink, "the sink was not made by this provider")
            }
            try provider.replaceContents(with: shell.sink)
        }

        public func deleteData() throws { try provider.deleteData() }

        // MARK: Archives

        public static var supportsSecureCoding: Bool { true }

        public func encode(with coder: NSCoder) {
            DataProviderReference.encode(provider, with: coder)
        }

        public convenience init?(coder: NSCoder) {
            guard let provider = DataProviderReference.decode(coder, { try $0.resolve() }) else {
                return nil
            }
            self.init(provider)
        }
    }

    /// A sink of a Quire provider, as the SDK writes to it.
    #if canImport(ObjectiveC)
        @objc(QuireDataSink)
    #endif
    public final class SDKDataSink: NSObject, PSPDFKit.DataSink {
        /// The sink that does the work.
        public let sink: any Quire.DataSink

        init(_ sink: any Quire.DataSink) { self.sink = sink }

        public var isFinished: Bool { sink.isFinished }
        public var options: PSPDFKit.DataSinkOptions { .init(rawValue: sink.options.rawValue) }
        public func write(_ data: Data) -> Bool { sink.write(data) }
        public func finish() -> Bool { sink.finish() }
    }
#endif
