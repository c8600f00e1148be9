"""Python's PDF libraries read a store as the plain file."""

import unittest

import pikepdf
import pymupdf
import pypdf
import pypdfium2

from support import FIXTURES, StoreTest, quire

import annotate  # of Examples/Python; after support, which says where that is

NAMES = ["form.pdf", "images.pdf", "saved.pdf", "text.pdf", "uncompressed.pdf"]


def text_by_pypdf(file):
    return [page.extract_text() for page in pypdf.PdfReader(file).pages]


def streams_by_pikepdf(file):
    with pikepdf.open(file) as pdf:
        return [page.obj.Contents.read_raw_bytes() for page in pdf.pages if "/Contents" in page
                and isinstance(page.obj.Contents, pikepdf.Stream)]


def pages_by_pdfium(file):
    document = pypdfium2.PdfDocument(file)
    return [bytes(page.render(scale=0.5).buffer) for page in document]


class ReaderTest(StoreTest):
    def check(self, read):
        for name in NAMES:
            with self.subTest(name), open(FIXTURES / name, "rb") as plain:
                store = quire.open(self.pack_fixture(name))
                expected = read(plain)
                self.assertTrue(any(expected))
                self.assertEqual(read(store.file()), expected)

    def test_pypdf_extracts_the_same_text(self):
        self.check(text_by_pypdf)

    def test_pikepdf_finds_the_same_streams(self):
        self.check(streams_by_pikepdf)

    def test_pdfium_draws_the_same_pages(self):
        self.check(pages_by_pdfium)

    def test_pymupdf_draws_the_same_pages(self):
        for name in NAMES:
            with self.subTest(name):
                store = annotate.open_document(quire.open(self.pack_fixture(name)))
                plain = pymupdf.open(FIXTURES / name)
                self.assertEqual(len(store), len(plain))
                for one, other in zip(store, plain):
                    self.assertEqual(one.get_pixmap().samples, other.get_pixmap().samples)

    def test_pypdf_does_not_read_it_all(self):
        # One page of a document of ten times the size: what is read, the library's cache and the buffer included.
        reads = []

        class Counting(quire.File):
            def readinto(self, buffer):
                reads.append(super().readinto(buffer))
                return reads[-1]

        writer = pypdf.PdfWriter()
        for _ in range(10):
            writer.append(FIXTURES / "images.pdf")
        writer.write(self.folder / "large.pdf")
        store = quire.open(self.pack((self.folder / "large.pdf").read_bytes(), "large.gz"))
        raw = store.file().detach()
        handle, raw._handle = raw._handle, None
        pypdf.PdfReader(Counting(handle)).pages[3].extract_text()
        self.assertLess(sum(reads), store.size / 2)


class WriterTest(StoreTest):
    def test_pypdf_saves_incrementally(self):
        path = self.pack_fixture("text.pdf")
        store = quire.open(path)
        before = path.stat().st_size
        writer = pypdf.PdfWriter(pypdf.PdfReader(store.file()), incremental=True)
        writer.add_metadata({"/Title": "Saved by pypdf"})
        with store.incremental() as save:
            writer.write(save)
        self.assertEqual(pypdf.PdfReader(store.file()).metadata.title, "Saved by pypdf")
        self.assertLess(path.stat().st_size - before, 2500)

    def test_pikepdf_saves_a_new_document(self):
        store = quire.open(self.pack_fixture("text.pdf"))
        with pikepdf.open(store.file()) as pdf:
            pdf.docinfo["/Title"] = "Saved by pikepdf"
            with store.replace() as save:
                pdf.save(save)
        self.assertEqual(pypdf.PdfReader(store.file()).metadata.title, "Saved by pikepdf")


if __name__ == "__main__":
    unittest.main()
