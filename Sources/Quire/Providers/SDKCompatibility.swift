// The spellings of older guides of the SDK, so that code written from them compiles with only the import changed.

/// The provider protocol as it was before a commit could throw: conform a class that has `replace(with:)`.
public protocol PSPDFDataProviding: DataProviding {
    /// Commits a finished sink made by this provider; false if it could not be.
    func replace(with replacementDataSink: any DataSink) -> Bool
}

extension PSPDFDataProviding {
    public func replace(with replacementDataSink: any DataSink) -> Bool { false }

    public func replaceContents(with replacementDataSink: any DataSink) throws {
        guard replace(with: replacementDataSink) else {
            throw QuireError(.refusedSink, "\(type(of: self)) refused the sink")
        }
    }
}

/// The older name of `FileDataProviding`.
public typealias PSPDFFileDataProviding = FileDataProviding
/// The older name of `DataSink`.
public typealias PSPDFDataSink = DataSink
/// The older name of `DataSinkOptions`.
public typealias PSPDFDataSinkOptions = DataSinkOptions
/// The older name of `DataProvidingAdditionalOperations`.
public typealias PSPDFDataProvidingAdditionalOperations = DataProvidingAdditionalOperations
/// The older name of `DataContainerProvider`.
public typealias PSPDFDataContainerProvider = DataContainerProvider
/// The older name of `DataContainerSink`.
public typealias PSPDFDataContainerSink = DataContainerSink
/// The older name of `FileDataProvider`.
public typealias PSPDFFileDataProvider = FileDataProvider
/// The older name of `FileDataSink`.
public typealias PSPDFFileDataSink = FileDataSink
/// The older name of `CoordinatedFileDataProvider`.
public typealias PSPDFCoordinatedFileDataProvider = CoordinatedFileDataProvider
/// The older name of `CoordinatedFileDataProviding`.
public typealias PSPDFCoordinatedFileDataProviding = CoordinatedFileDataProviding
/// The older name of `FileCoordinationDelegate`.
public typealias PSPDFFileCoordinationDelegate = FileCoordinationDelegate
/// The older name of `FileConflictType`.
public typealias PSPDFFileConflictType = FileConflictType
/// The older name of `FileConflictResolution`.
public typealias PSPDFFileConflictResolution = FileConflictResolution

extension DataProviding {
    /// Makes a sink that replaces the contents, as the SDK's default argument does.
    public func createDataSink() throws -> any DataSink { try createDataSink(options: []) }

    /// The commit as it was before it could throw; why it failed is lost.
    @available(*, deprecated, renamed: "replaceContents(with:)")
    public func replace(with replacementDataSink: any DataSink) -> Bool {
        do {
            try replaceContents(with: replacementDataSink)
            return true
        } catch { return false }
    }
}
