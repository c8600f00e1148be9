// A stand-in of the SDK's header and of as much of Foundation as it needs, by the facts of the interface.
#pragma once
#include <stdint.h>

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_UNAVAILABLE __attribute__((unavailable))
typedef signed char BOOL;
typedef unsigned long NSUInteger;
@class NSURL, NSData, NSError, NSProgress, NSString, NSCoder;

NS_ASSUME_NONNULL_BEGIN

__attribute__((objc_root_class)) @interface NSObject
+ (instancetype)alloc;
- (instancetype)init;
@end

@protocol NSObject
@end

@protocol NSSecureCoding
@end

typedef enum : NSUInteger {
    PSPDFDataProvidingAdditionalOperationNone = 0x00,
    PSPDFDataProvidingAdditionalOperationWrite = 0x01
} PSPDFDataProvidingAdditionalOperations;

typedef enum : NSUInteger { PSPDFDataSinkOptionNone = 0, PSPDFDataSinkOptionAppend = 0x01 } PSPDFDataSinkOptions;

@protocol PSPDFDataSink <NSObject>
@property (nonatomic, readonly) BOOL isFinished;
@property (nonatomic, readonly) PSPDFDataSinkOptions options;
- (BOOL)writeData:(NSData *)data;
- (BOOL)finish;
@end

@protocol PSPDFDataProviding <NSObject, NSSecureCoding>
- (nullable NSData *)data:(NSError *_Nullable *_Nullable)error;
@property (nonatomic, readonly) uint64_t size;
@property (nonatomic, readonly) NSString *UID;
@property (nonatomic, readonly) PSPDFDataProvidingAdditionalOperations additionalOperationsSupported;
- (nullable NSData *)readDataWithSize:(uint64_t)size
                             atOffset:(uint64_t)offset
                                error:(NSError *_Nullable *_Nullable)error;
@property (nonatomic, nullable) NSData *signature;
@optional
@property (nonatomic, readonly, nullable) NSProgress *progress;
@property (nonatomic, readonly, nullable) NSError *error;
- (nullable id<PSPDFDataSink>)createDataSinkWithOptions:(PSPDFDataSinkOptions)options
                                                  error:(NSError *_Nullable *_Nullable)error;
- (BOOL)replaceContentsWithDataSink:(id<PSPDFDataSink>)replacementDataSink
                              error:(NSError *_Nullable *_Nullable)error;
@property (nonatomic, readonly) BOOL canWrite;
- (BOOL)deleteDataWithError:(NSError *_Nullable *_Nullable)error;
- (void)clearCache;
@property (nonatomic, readonly) BOOL useDiskCache;
@end

NS_ASSUME_NONNULL_END
