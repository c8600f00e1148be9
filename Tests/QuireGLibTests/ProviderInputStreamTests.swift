#if GLib
    import CPoppler
    import Foundation
    import Quire
    import QuireGLib
    import QuireTesting
    import Testing

    @Suite("ProviderInputStream")
    struct ProviderInputStreamTests {
        private static let document = TestBytes.mixed(300_000)

        private func compressed(_ document: Data) throws -> CompressedDataProvider {
            let provider = try CompressedDataProvider.create(
                in: DataContainerProvider(data: Data()), configuration: .init(blockSize: 4096))
            let sink = try provider.createDataSink(options: [])
            #expect(sink.write(document) && sink.finish())
            try provider.replaceContents(with: sink)
            return provider
        }

        /// What GIO reads in one call; nil on an error, with its words.
        private func read(
            _ stream: UnsafeMutablePointer<GInputStream>, _ count: Int
        ) -> (data: Data?, words: String?) {
            var bytes = [UInt8](repeating: 0, count: max(count, 1))
            var error: UnsafeMutablePointer<GError>?
            let got = unsafe g_input_stream_read(stream, &bytes, gsize(count), nil, &error)
            defer { unsafe g_clear_error(&error) }
            let words = unsafe error.map { unsafe String(cString: $0.pointee.message) }
            return (got < 0 ? nil : Data(bytes.prefix(Int(got))), words)
        }

        private func seek(
            _ stream: UnsafeMutablePointer<GInputStream>, _ offset: Int, _ whence: GSeekType
        ) -> Bool {
            let seekable = OpaquePointer(stream)
            return unsafe g_seekable_seek(seekable, goffset(offset), whence, nil, nil) != 0
        }

        @Test func itReadsFromTheBeginningToTheEnd() throws {
            let stream = unsafe try ProviderInputStream.make(compressed(Self.document))
            defer { unsafe g_object_unref(stream) }
            var all = Data()
            while let part = unsafe read(stream, 7777).data, !part.isEmpty { all += part }
            #expect(all == Self.document)
            #expect(unsafe read(stream, 10).data?.isEmpty == true)
        }

        @Test func itSeeks() throws {
            let stream = unsafe try ProviderInputStream.make(compressed(Self.document))
            defer { unsafe g_object_unref(stream) }
            let count = Self.document.count
            #expect(
                unsafe seek(stream, 1000, G_SEEK_SET)
                    && read(stream, 5).data == Self.document[1000..<1005])
            #expect(
                unsafe seek(stream, -105, G_SEEK_CUR)
                    && read(stream, 5).data == Self.document[900..<905])
            #expect(
                unsafe seek(stream, -5, G_SEEK_END)
                    && read(stream, 50).data == Self.document.suffix(5))
            #expect(unsafe g_seekable_tell(OpaquePointer(stream)) == count)
            for (offset, whence) in [
                (-1, G_SEEK_SET), (count + 1, G_SEEK_SET), (1, G_SEEK_END), (.max, G_SEEK_CUR),
                (.min, G_SEEK_END),
            ] { #expect(unsafe !seek(stream, offset, whence)) }
            #expect(
                unsafe g_seekable_tell(OpaquePointer(stream)) == count, "and stays where it was")
            #expect(unsafe g_seekable_can_truncate(OpaquePointer(stream)) == 0)
        }

        @Test func whatTheProviderFailsIsAnErrorWithItsWords() throws {
            let upstream = DataContainerProvider(data: Data())
            let provider = try CompressedDataProvider.create(
                in: upstream, configuration: .init(blockSize: 4096))
            let sink = try provider.createDataSink(options: [])
            #expect(sink.write(Self.document) && sink.finish())
            try provider.replaceContents(with: sink)
            var stored = try upstream.data()
            let block = try provider.blocks()[3]
            stored[Int(block.fileOffset) + block.memberSize - 5] ^= 1
            let damaged = try CompressedDataProvider(DataContainerProvider(data: stored))
            let stream = unsafe try ProviderInputStream.make(damaged)
            defer { unsafe g_object_unref(stream) }
            #expect(unsafe seek(stream, 3 * 4096, G_SEEK_SET))
            let result = unsafe read(stream, 10)
            #expect(result.data == nil && result.words?.contains("block 3") == true)
            #expect(
                unsafe seek(stream, 0, G_SEEK_SET)
                    && read(stream, 10).data == Self.document.prefix(10))
        }

        @Test func aSaveDoesNotChangeAStream() throws {
            let provider = try compressed(Self.document)
            let stream = unsafe try ProviderInputStream.make(provider)
            defer { unsafe g_object_unref(stream) }
            let sink = try provider.createDataSink(options: [])
            #expect(sink.write(Data("new".utf8)) && sink.finish())
            try provider.replaceContents(with: sink)
            #expect(unsafe seek(stream, 200_000, G_SEEK_SET))
            #expect(unsafe read(stream, 100).data == Self.document[200_000..<200_100])
        }

        @Test func theLastReferenceLetsGoOfTheProvider() throws {
            weak var held: DataContainerProvider?
            do {
                let provider = DataContainerProvider(data: Self.document)
                held = provider
                let stream = unsafe try ProviderInputStream.make(OwnedProvider(provider))
                #expect(unsafe read(stream, 10).data == Self.document.prefix(10))
                unsafe g_object_unref(stream)
            }
            #expect(held == nil)
        }

        /// Every page, rendered by poppler from a store and from the plain file.
        @Test(arguments: ["form.pdf", "text.pdf", "images.pdf", "uncompressed.pdf", "saved.pdf"])
        func popplerRendersAStoreLikeTheFile(name: String) throws {
            let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Fixtures/pdf").appending(path: name)
            let plain = try Data(contentsOf: url)
            let pages = try Self.pages(compressed(plain))
            #expect(pages.count > 0)
            #expect(pages == (try Self.pages(DataContainerProvider(data: plain))))
        }

        private static func pages(_ provider: some DataProviding & Sendable) throws -> [Data] {
            let stream = unsafe try ProviderInputStream.make(provider)
            defer { unsafe g_object_unref(stream) }
            let document = unsafe poppler_document_new_from_stream(
                stream, goffset(provider.size), nil, nil, nil)
            guard let document = unsafe document else { throw CocoaError(.fileReadCorruptFile) }
            defer { unsafe g_object_unref(UnsafeMutableRawPointer(document)) }
            return unsafe (0..<poppler_document_get_n_pages(document)).map { number in
                let page = unsafe poppler_document_get_page(document, number)
                defer { unsafe g_object_unref(page.map { unsafe UnsafeMutableRawPointer($0) }) }
                let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 300, 400)
                let context = unsafe cairo_create(surface)
                unsafe poppler_page_render(page, context)
                unsafe cairo_surface_flush(surface)
                let count = unsafe Int(cairo_image_surface_get_stride(surface)) * 400
                let text = unsafe poppler_page_get_text(page)
                defer {
                    unsafe cairo_destroy(context)
                    unsafe cairo_surface_destroy(surface)
                    unsafe g_free(text)
                }
                let pixels = unsafe Data(bytes: cairo_image_surface_get_data(surface), count: count)
                let words = unsafe text.map { unsafe String(cString: $0) } ?? ""
                return pixels + Data(words.utf8)
            }
        }
    }

    /// A provider without snapshots, which a stream has to hold.
    private final class OwnedProvider: DataProviding, Sendable {
        let provider: DataContainerProvider
        init(_ provider: DataContainerProvider) { self.provider = provider }
        var size: UInt64 { provider.size }
        var uid: String { provider.uid }
        func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
            try provider.readData(withSize: size, atOffset: offset)
        }
    }
#endif
