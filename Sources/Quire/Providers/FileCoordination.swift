#if canImport(Darwin)
    public import Foundation
#endif

/// A file provider that notices what others do to its file.
///
/// A class written for the SDK conforms with the two members that the SDK requires; resolving conflicts is optional.
public protocol CoordinatedFileDataProviding: FileDataProviding {
    #if canImport(Darwin)
        /// Presents the file to the system; its `presentedItemURL` is `fileURL`.
        var filePresenter: any NSFilePresenter { get }
    #endif

    /// Is told of changes. Held weakly; set it before the first read.
    var coordinationDelegate: (any FileCoordinationDelegate)? { get set }

    /// Whether the contents that are open can still be read in full, and saved, after others changed the file. Default:
    /// false.
    var isConflictResolutionAvailable: Bool { get }

    /// Ends a conflict. Default: throws `unsupportedOperation`.
    func resolveFileConflict(with resolution: FileConflictResolution) throws
}

/// Is told what others do to a file. The calls come on a private serial queue with no lock held: a delegate may
/// call any member of the provider.
public protocol FileCoordinationDelegate: AnyObject, Sendable {
    /// The contents are other than those that are open, or than those of the last call.
    func presentedItemDidChange(for dataProvider: any CoordinatedFileDataProviding)

    /// The file is gone from its URL: deleted, moved, or with its folder.
    ///
    /// - Parameter completionHandler: to be called soon, with the error that kept the delegate from coping with it. On
    ///   Apple platforms the system deletes the file after that; on Linux it is gone, and nothing waits.
    func accommodatePresentedItemDeletion(
        for dataProvider: any CoordinatedFileDataProviding,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

/// What others did to an open file. The raw values are the SDK's.
public enum FileConflictType: UInt, Sendable {
    /// It is gone.
    case deletion = 0
    /// Its contents are others.
    case modification = 1
}

/// How to end a conflict. The raw values are the SDK's.
public enum FileConflictResolution: UInt, Sendable {
    /// The document is closed: reads fail with `closed`.
    case close = 0
    /// What is open is written over what is there, or again where nothing is.
    case save = 1
    /// What is there is opened.
    case reload = 2
}

extension CoordinatedFileDataProviding {
    public var isConflictResolutionAvailable: Bool { false }

    public func resolveFileConflict(with resolution: FileConflictResolution) throws {
        throw QuireError(
            .unsupportedOperation, "\(type(of: self)) cannot resolve file conflicts")
    }
}

/// Whether a provider can resolve a conflict now. The SDK's name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func ConflictResolutionAvailable(
    forDataProvider dataProvider: any CoordinatedFileDataProviding
) -> Bool { dataProvider.isConflictResolutionAvailable }
