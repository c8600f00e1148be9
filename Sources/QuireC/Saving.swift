// swift-format-ignore-file: AlwaysUseLowerCamelCase, the names are C's
public import CQuire
import Foundation
import Quire

// The functions of quire.h that save.

@c @implementation
public func quire_begin(
    _ store: OpaquePointer?, _ mode: CInt, _ sink: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    answering {
        try unsafe place(sink) {
            let handle = try unsafe Handles.store(store)
            let store = try handle.store(to: "saved")
            switch Int(mode) {
            case QUIRE_REPLACE, QUIRE_APPEND:
                let sink = try store.createDataSink(
                    options: Int(mode) == QUIRE_APPEND ? .append : [])
                return unsafe Handles.add(
                    .sink(SinkHandle(sink) { try store.replaceContents(with: $0) }))
            case QUIRE_INCREMENTAL:
                let save = try IncrementalSave(of: store)
                return unsafe Handles.add(.sink(SinkHandle(save) { _ in try save.commit() }))
            default: throw Failure.invalid("the mode is \(mode), allowed are 0...2")
            }
        }
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_create(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<quire_options>?,
    _ sink: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    answering {
        try unsafe place(sink) {
            let (url, options) = try unsafe (fileURL(path), Options(options))
            // Made before the look: it notes which file is there, and its commit finds out another.
            let file = try FileDataSink(fileURL: url)
            guard options.isOverwriting || !FileManager.default.fileExists(atPath: url.path) else {
                throw Failure(QUIRE_CONFLICT, "\(url.path) is there")
            }
            let sink = try CompressedDataSink(file, configuration: options.configuration)
            return unsafe Handles.add(.sink(SinkHandle(sink) { _ in }))
        }
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_write(_ sink: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> CInt {
    answering {
        let sink = try unsafe Handles.sink(sink)
        guard count >= 0, unsafe bytes != nil || count == 0 else {
            let failure = Failure.invalid("the bytes are NULL, or more than memory can have")
            sink.fail(failure)
            throw failure
        }
        // SAFETY: the caller vouches for `count` bytes, which are copied before this call returns.
        try unsafe sink.write(UnsafeRawBufferPointer(start: bytes, count: count))
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_commit(_ sink: OpaquePointer?) -> CInt {
    answering {
        try unsafe Handles.removeSink(sink).commit()
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_abandon(_ sink: OpaquePointer?) {
    unsafe _ = try? Handles.removeSink(sink)
}
