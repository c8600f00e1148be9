// Checks that QuireSDK.h is Objective-C and promises what the SDK's protocols ask for.
#import "QuireSDK.h"

void check(QuireDataProvider *provider, NSURL *url, NSData *bytes);

void check(QuireDataProvider *provider, NSURL *url, NSData *bytes) {
    NSError *error;
    provider = [[QuireDataProvider alloc] initWithStoreURL:url error:&error];
    provider = [QuireDataProvider createStoreAtURL:url error:&error];
    id<PSPDFDataProviding> asked = provider;
    id<PSPDFDataSink> sink = [asked createDataSinkWithOptions:PSPDFDataSinkOptionAppend error:&error];
    QuireDataSink *same = (QuireDataSink *)sink;
    if ([same writeData:bytes] && [same finish] && same.isFinished) {
        [provider replaceContentsWithDataSink:same error:&error];
    }
    bytes = [provider readDataWithSize:provider.size atOffset:0 error:&error];
    bytes = [provider data:&error];
    provider.signature = bytes;
}
