public import Foundation

// A stand-in of the SDK's module: the protocols that a data provider meets, by the facts of their interface. The members that the SDK
// calls optional are required here, so that the compiler checks all of them.

public protocol DataProviding: NSObjectProtocol, NSSecureCoding {
    func data() throws -> Data
    var size: UInt64 { get }
    var uid: String { get }
    var additionalOperationsSupported: DataProvidingAdditionalOperations { get }
    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data
    var signature: Data? { get set }

    // Optional in the SDK.
    var progress: Progress? { get }
    var error: (any Error)? { get }
    func createDataSink(options: DataSinkOptions) throws -> any DataSink
    func replaceContents(with replacementDataSink: any DataSink) throws
    var canWrite: Bool { get }
    func deleteData() throws
    func clearCache()
    var useDiskCache: Bool { get }
}

public protocol DataSink: NSObjectProtocol {
    var isFinished: Bool { get }
    var options: DataSinkOptions { get }
    func write(_ data: Data) -> Bool
    func finish() -> Bool
}

public struct DataProvidingAdditionalOperations: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let write = Self(rawValue: 0x01)
}

public struct DataSinkOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let append = Self(rawValue: 0x01)
}
