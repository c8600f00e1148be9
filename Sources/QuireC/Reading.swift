// swift-format-ignore-file: AlwaysUseLowerCamelCase, the names are C's
public import CQuire
import Foundation
public import Quire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// The functions of quire.h, which documents them; the compiler checks that they are declared there as they are here.

@c @implementation
public func quire_api() -> UInt32 { UInt32(QUIRE_API) }

@c @implementation
public func quire_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<quire_options>?,
    _ store: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    answering {
        try unsafe place(store) {
            let options = try unsafe Options(options)
            let provider = try unsafe CompressedDataProvider(
                url: fileURL(path), configuration: options.configuration)
            return unsafe Handles.add(.store(StoreHandle(provider)))
        }
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_close(_ store: OpaquePointer?) {
    unsafe Handles.removeStore(store)
}

@c @implementation
public func quire_size(_ store: OpaquePointer?) -> Int64 {
    answering {
        let store = try unsafe Handles.store(store)
        return Int64(clamping: try store.revision().contents.size)
    }
}

@c @implementation
public func quire_read(
    _ store: OpaquePointer?, _ offset: UInt64, _ buffer: UnsafeMutableRawPointer?, _ count: Int
) -> Int64 {
    answering {
        let store = try unsafe Handles.store(store)
        // C's count is unsigned: more than there can be of memory shows as less than 0.
        guard count >= 0 else {
            throw Failure.invalid("\(UInt(bitPattern: count)) bytes are more than memory can have")
        }
        guard count > 0 else { return 0 }
        guard let buffer = unsafe buffer else { throw Failure.invalid("the buffer is NULL") }
        // SAFETY: the caller vouches for `count` bytes of memory, and the span ends with this call.
        let memory = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
        var output = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
        do { try store.read(into: &output, atOffset: offset) } catch {
            unsafe _ = output.finalize(for: memory)
            throw error
        }
        return unsafe Int64(output.finalize(for: memory))
    }
}

@c @implementation
public func quire_uid(
    _ store: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> CInt {
    answering {
        let store = try unsafe Handles.store(store)
        let uid = store.uid.utf8.map { CChar(bitPattern: $0) }
        guard capacity != 0 else { return CInt(uid.count) }
        guard let buffer = unsafe buffer else { throw Failure.invalid("the buffer is NULL") }
        // Unsigned in C, as in quire_read: what is negative here is large.
        let count = capacity < 0 ? uid.count : min(uid.count, capacity - 1)
        for (index, character) in (uid.prefix(count) + [0]).enumerated() {
            // SAFETY: `count` and the 0 fit in the `capacity` bytes that the caller vouches for.
            unsafe buffer[index] = character
        }
        return CInt(uid.count)
    }
}

@c @implementation
public func quire_revision(_ store: OpaquePointer?) -> Int64 {
    answering {
        let store = try unsafe Handles.store(store)
        return Int64(clamping: try store.revision().number)
    }
}

@c @implementation
public func quire_refresh(_ store: OpaquePointer?) -> CInt {
    answering {
        let store = try unsafe Handles.store(store)
        try store.store(to: "refreshed").clearCache()
        _ = try store.revision()
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_snapshot(
    _ store: OpaquePointer?, _ snapshot: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    answering {
        try unsafe place(snapshot) {
            try unsafe Handles.add(.store(StoreHandle(snapshotOf: Handles.store(store))))
        }
        return CInt(QUIRE_OK)
    }
}

@c @implementation
public func quire_stream(_ store: OpaquePointer?) -> CFileStream.Pointer? {
    var stream: CFileStream.Pointer?
    let code = answering {
        let store = try unsafe Handles.store(store)
        unsafe stream = try CFileStream.open(over: store.revision().contents)
        return CInt(QUIRE_OK)
    }
    return code == QUIRE_OK ? unsafe stream : nil
}
