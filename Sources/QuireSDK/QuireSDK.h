// The Objective-C interface of QuireSDK, to be read: Xcode makes QuireSDK-Swift.h of the same contents, which is what one imports
// (`@import QuireSDK;`). It is checked against the protocols of the SDK by the tests.
//
// What the SDK's guide to custom data providers does with a class of one's own, in four lines:
//
//     NSError *error;
//     QuireDataProvider *provider = [[QuireDataProvider alloc] initWithStoreURL:storeURL error:&error];
//     if (!provider) { return [self showError:error]; }
//     PSPDFDocument *document = [[PSPDFDocument alloc] initWithDataProviders:@[provider]];
//
// The document is read and saved through the store: the SDK asks for a sink, writes the new version or what is appended to the old one
// into it, and hands it back. By hand:
//
//     id<PSPDFDataSink> sink = [provider createDataSinkWithOptions:PSPDFDataSinkOptionAppend error:&error];
//     if (![sink writeData:newBytes] || ![sink finish]) { /* -replaceContentsWithDataSink:error: says why */ }
//     if (![provider replaceContentsWithDataSink:sink error:&error]) { return [self showError:error]; }

#import <PSPDFKit/PSPDFKit.h>

NS_ASSUME_NONNULL_BEGIN

/// Any Quire provider as a data provider of the SDK.
///
/// Reads may come from any thread. Errors are of the domain "Quire", with the SDK's codes where it has one (8600 in flight, 120
/// unfinished sink, 11 no file, 108 cannot load). Archives hold a reference to the file, never its contents.
@interface QuireDataProvider : NSObject <PSPDFDataProviding>

/// Opens the store in a file.
///
/// @param storeURL a store, as `quire pack` or `+[QuireDataProvider createStoreAtURL:error:]` makes it.
/// @return nil if it is no store or damaged; the error says what and where.
- (nullable instancetype)initWithStoreURL:(NSURL *)storeURL error:(NSError **)error;

/// Makes a store of an empty document in a new file, and opens it.
+ (nullable instancetype)createStoreAtURL:(NSURL *)storeURL error:(NSError **)error;

- (instancetype)init NS_UNAVAILABLE;

@end

/// What `-createDataSinkWithOptions:error:` returns: takes one version of the document, or what follows the present one.
///
/// Use it from one thread at a time, and once. A sink that is dropped leaves nothing behind.
@interface QuireDataSink : NSObject <PSPDFDataSink>

- (instancetype)init NS_UNAVAILABLE;

@end

NS_ASSUME_NONNULL_END
