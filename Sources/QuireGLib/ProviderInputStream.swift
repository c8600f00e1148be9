#if GLib
    public import CGio
    import Foundation
    public import Quire

    /// A provider's document as a seekable `GInputStream`, for poppler-glib and whatever else reads through GIO.
    ///
    /// ```swift
    /// let stream = try ProviderInputStream.make(CompressedDataProvider(url: url))
    /// defer { g_object_unref(stream) }
    /// let document = poppler_document_new_from_stream(stream, -1, nil, nil, &error)
    /// ```
    public enum ProviderInputStream {
        /// Makes a stream over the provider's present contents. The caller owns it: `g_object_unref`.
        ///
        /// Of a `SnapshotProviding` provider the version of the moment is read as long as the stream lives, whatever is saved
        /// meanwhile; any other must not be saved to. As with any `GInputStream` one thread at a time may use it; streams are
        /// independent of one another. It seeks within the document and to its end, not beyond (`G_IO_ERROR_INVALID_ARGUMENT`),
        /// and is never written. A read that the provider fails is `G_IO_ERROR_FAILED` with the provider's words.
        ///
        /// - Throws: `limitExceeded` if the document has more than 2^63 - 1 bytes; `dataProviderIsInFlight`; what making the
        ///   snapshot throws.
        public static func make(
            _ provider: any DataProviding & Sendable
        ) throws -> UnsafeMutablePointer<GInputStream> {
            let cursor = try Cursor(Upstream(provider).view())
            guard let object = unsafe g_object_new_with_properties(streamType, 0, nil, nil) else {
                throw QuireError(.limitExceeded, "GLib made no stream")
            }
            // SAFETY: an instance of `streamType` has room for the reference behind its parent; `finalize` gives it up.
            let stream = UnsafeMutableRawPointer(object)
            unsafe place(stream).pointee = Unmanaged.passRetained(cursor).toOpaque()
            return unsafe stream.assumingMemoryBound(to: GInputStream.self)
        }
    }

    /// What is read, and where the stream is.
    private final class Cursor {
        let contents: any DataProviding & Sendable
        let size: Int64
        var position: Int64 = 0

        init(_ contents: any DataProviding & Sendable) throws {
            self.contents = contents
            guard let size = Int64(exactly: contents.size) else {
                throw QuireError(
                    .limitExceeded,
                    "the document is \(contents.size) bytes, a GInputStream has \(Int64.max)")
            }
            self.size = size
        }

        func read(into memory: UnsafeMutableRawPointer?, _ capacity: Int) throws -> Int {
            let count = Int(clamping: min(Int64(clamping: capacity), size - position))
            guard count > 0 else { return 0 }
            // SAFETY: GIO's memory has `capacity` bytes, and `count` is not more.
            try unsafe contents.fill(
                UnsafeMutableRawBufferPointer(start: memory, count: count),
                at: UInt64(position))
            position += Int64(count)
            return count
        }

        /// Moves; false if that is outside of the document.
        func seek(by offset: Int64, from whence: GSeekType) -> Bool {
            let base =
                switch whence {
                case G_SEEK_CUR: position
                case G_SEEK_END: size
                default: 0 as Int64
                }
            let (target, overflow) = base.addingReportingOverflow(offset)
            guard !overflow, 0...size ~= target else { return false }
            position = target
            return true
        }
    }

    // MARK: The GObject class

    /// A `GInputStream` and a pointer. Registered once, for the life of the process, as GLib's types are.
    private let streamType: GType = {
        var info = unsafe GTypeInfo()
        unsafe info.class_size = guint16(MemoryLayout<GInputStreamClass>.size)
        unsafe info.instance_size = guint16(instanceSize)
        unsafe info.class_init = { memory, _ in unsafe fillClass(memory) }
        let type = unsafe g_type_register_static(
            g_input_stream_get_type(), "QuireProviderInputStream", &info, GTypeFlags(0))
        var seekable = unsafe GInterfaceInfo()
        unsafe seekable.interface_init = { interface, _ in unsafe fillSeekable(interface) }
        unsafe g_type_add_interface_static(type, g_seekable_get_type(), &seekable)
        return type
    }()

    private let parentSize =
        unsafe (MemoryLayout<GInputStream>.size + 15) / 16 * 16
    private let instanceSize =
        unsafe parentSize + MemoryLayout<UnsafeMutableRawPointer>.size

    /// Where an instance keeps its reference to the cursor.
    private func place(
        _ stream: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        unsafe (stream + parentSize).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    private func cursor(_ stream: UnsafeMutableRawPointer?) -> Cursor? {
        // SAFETY: GLib calls with instances of this class alone, whose reference lives until `finalize`.
        unsafe stream.flatMap { unsafe place($0).pointee }.map {
            unsafe Unmanaged<Cursor>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private func fillClass(_ memory: UnsafeMutableRawPointer?) {
        // SAFETY: GLib hands over a class structure of the size that was registered.
        guard let memory = unsafe memory else { return }
        let streamClass = unsafe memory.assumingMemoryBound(to: GInputStreamClass.self)
        unsafe streamClass.pointee.read_fn = { stream, buffer, count, _, error in
            let cursor = unsafe cursor(stream)
            do { return try unsafe cursor?.read(into: buffer, Int(count)) ?? 0 } catch let cause {
                unsafe fail(error, G_IO_ERROR_FAILED, "\(cause)")
                return -1
            }
        }
        let objectClass = unsafe memory.assumingMemoryBound(to: GObjectClass.self)
        unsafe objectClass.pointee.finalize = { object in
            // SAFETY: called once, as the last of the functions; the parent's comes behind it.
            guard let object = unsafe object else { return }
            let reference = unsafe place(UnsafeMutableRawPointer(object)).pointee
            if let reference = unsafe reference {
                unsafe Unmanaged<Cursor>.fromOpaque(reference).release()
            }
            let parent = unsafe g_type_class_peek(g_input_stream_get_type())
            unsafe parent?.assumingMemoryBound(to: GObjectClass.self).pointee.finalize?(object)
        }
    }

    private func fillSeekable(_ memory: UnsafeMutableRawPointer?) {
        // SAFETY: GLib hands over the structure of GSeekable.
        guard let interface = unsafe memory?.assumingMemoryBound(to: GSeekableIface.self) else {
            return
        }
        unsafe interface.pointee.tell = {
            goffset(unsafe cursor(UnsafeMutableRawPointer($0))?.position ?? 0)
        }
        unsafe interface.pointee.can_seek = { _ in 1 }
        unsafe interface.pointee.can_truncate = { _ in 0 }
        unsafe interface.pointee.seek = { stream, offset, whence, _, error in
            let cursor = unsafe cursor(UnsafeMutableRawPointer(stream))
            // Not while a read is under way on another thread, nor once it is closed.
            let base = unsafe stream.map {
                unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: GInputStream.self)
            }
            guard unsafe g_input_stream_set_pending(base, error) != 0 else { return 0 }
            defer { unsafe g_input_stream_clear_pending(base) }
            if cursor?.seek(by: Int64(offset), from: whence) == true { return 1 }
            unsafe fail(
                error, G_IO_ERROR_INVALID_ARGUMENT, "there is no byte \(offset) to seek to")
            return 0
        }
        unsafe interface.pointee.truncate_fn = { _, _, _, error in
            unsafe fail(error, G_IO_ERROR_NOT_SUPPORTED, "the stream is for reading")
            return 0
        }
    }

    private func fail(
        _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?, _ code: GIOErrorEnum,
        _ words: String
    ) {
        unsafe g_set_error_literal(error, g_io_error_quark(), gint(code.rawValue), words)
    }
#endif
