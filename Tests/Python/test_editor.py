"""A document that PyMuPDF edits and saves ten times, while other processes read it."""

import hashlib
import io
import json
import subprocess
import sys
import unittest

import pikepdf
import pymupdf
import pypdfium2

from support import FIXTURES, ROOT, StoreTest, gunzip, quire

import annotate  # of Examples/Python; after support, which says where that is

# Reads the whole document again and again, with a handle that is refreshed and with new ones, until the file `stop` is there.
WATCHER = """
import hashlib, json, os, sys
sys.path.insert(0, sys.argv[1])
import quire
seen, reads, sizes = set(), 0, []
store = quire.open(sys.argv[2])
print("ready", flush=True)
while True:
    is_last = os.path.exists(sys.argv[3])
    store.refresh()
    for reader in (store, quire.open(sys.argv[2])):
        document = reader.file().read()
        sizes.append(len(document))
        seen.add(hashlib.sha256(document).hexdigest())
        reads += 1
    if is_last:
        break
print(json.dumps({"seen": sorted(seen), "reads": reads, "sizes": sizes}))
"""


class Tee(io.RawIOBase):
    """Writes to a save, and keeps what was written."""

    def __init__(self, save):
        self.save, self.written = save, bytearray()

    def write(self, data):
        self.written += data
        return self.save.write(data)

    def tell(self):
        return self.save.tell()

    def seek(self, offset, whence=io.SEEK_SET):
        return self.save.seek(offset, whence)


def digest(document):
    return hashlib.sha256(document).hexdigest()


def pages_by_pymupdf(document):
    return [bytes(page.get_pixmap().samples) for page in document]


def pages_by_pdfium(file):
    return [bytes(page.render(scale=1, may_draw_forms=True).buffer) for page in pypdfium2.PdfDocument(file)]


class EditorTest(StoreTest):
    def test_ten_saves_are_drawn_as_the_plain_file_and_read_whole(self):
        for name in ("saved.pdf", "form.pdf"):
            with self.subTest(name):
                self.check_ten_saves(name)

    def check_ten_saves(self, name):
        path, plain, stop = self.pack_fixture(name), self.folder / name, self.folder / (name + ".stop")
        plain.write_bytes((FIXTURES / name).read_bytes())
        command = [sys.executable, "-c", WATCHER, str(ROOT / "Examples/Python"), str(path), str(stop)]
        watchers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for watcher in watchers:
            self.addCleanup(watcher.kill)
            self.assertEqual(watcher.stdout.readline(), "ready\n")
        revisions, drawn = [digest(plain.read_bytes())], set()
        store = quire.open(path)
        for number in range(1, 11):
            before, stored_before = plain.read_bytes(), path.stat().st_size
            document = annotate.open_document(store)
            annotate.add_note(document, 0, f"{number}. note")
            with store.incremental() as save:
                tee = Tee(save)
                annotate.write_incrementally(document, tee)
            # The plain file is saved the same way: the editor's bytes go to its end.
            self.assertTrue(tee.written.startswith(before))
            with open(plain, "ab") as file:
                file.write(tee.written[len(before):])
            added = len(tee.written) - len(before)
            self.assertGreater(added, 0)
            self.assertLess(path.stat().st_size - stored_before, added + 600)
            revisions.append(digest(plain.read_bytes()))

            self.assertEqual(store.revision, number + 1)
            self.assertEqual(gunzip(path), plain.read_bytes())
            mine = pages_by_pymupdf(annotate.open_document(store))
            self.assertEqual(mine, pages_by_pymupdf(pymupdf.open(plain)))
            drawn.add(mine[0])
            with open(plain, "rb") as file:
                self.assertEqual(pages_by_pdfium(store.file()), pages_by_pdfium(file))
            with pikepdf.open(store.file()) as pdf:
                notes = [str(note.Contents) for note in pdf.pages[0].Annots if note.Subtype == "/FreeText"]
            self.assertEqual(notes, [f"{count}. note" for count in range(1, number + 1)])
        self.assertEqual(len(set(revisions)), 11)
        self.assertGreater(len(drawn), 1, "notes can be seen")
        stop.touch()
        for watcher in watchers:
            report = json.loads(watcher.communicate(timeout=60)[0])
            self.assertEqual(watcher.returncode, 0)
            self.assertLessEqual(set(report["seen"]), set(revisions))
            self.assertIn(revisions[-1], report["seen"])
            self.assertGreater(len(report["seen"]), 2, "some saves were seen as they came")
            self.assertEqual(report["sizes"], sorted(report["sizes"]), "no revision came back")

    def test_save_of_a_document_that_another_saved_meanwhile_is_refused(self):
        path = self.pack_fixture("saved.pdf")
        mine, theirs = quire.open(path), quire.open(path)
        documents = [annotate.open_document(store) for store in (mine, theirs)]
        for text, document in zip(("mine", "theirs"), documents):
            annotate.add_note(document, 0, text)
        with mine.incremental() as save:
            annotate.write_incrementally(documents[0], save)
        for _ in range(2):
            with self.assertRaises(quire.Error) as caught:
                with theirs.incremental() as save:
                    annotate.write_incrementally(documents[1], save)
            self.assertEqual(caught.exception.name, "conflict")
            theirs.refresh()  # does not help: the document that is open is an older one
        self.assertEqual(theirs.file().read(), mine.file().read())


if __name__ == "__main__":
    unittest.main()
