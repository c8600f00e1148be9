"""Adds a note to a page of a PDF in a store, with PyMuPDF, as an incremental save: annotate.py STORE PAGE TEXT"""

import sys

import pymupdf
from pymupdf import mupdf

import quire


class _Output(mupdf.FzOutput2):
    """MuPDF's output into a Python file."""

    def __init__(self, file):
        super().__init__()
        self.file = file
        self.error = None
        self.use_virtual_write()
        self.use_virtual_tell()
        self.use_virtual_seek()

    def write(self, context, data, size):
        # An exception must not cross MuPDF: it is kept for later.
        try:
            if self.error is None:
                self.file.write(mupdf.raw_to_python_bytes(data, size))
        except Exception as error:
            self.error = error

    def tell(self, context):
        return self.file.tell()

    def seek(self, context, offset, whence):
        self.file.seek(offset, whence)


def open_document(store):
    """PyMuPDF takes no file objects, only the bytes of a document."""
    return pymupdf.open(stream=store.file().read(), filetype="pdf")


def write_incrementally(document, file):
    """Writes the document as it was opened, and then its changes. `Document.save` does that to its own file only."""
    options = mupdf.PdfWriteOptions()
    options.do_incremental = 1
    options.do_encrypt = mupdf.PDF_ENCRYPT_KEEP
    output = _Output(file)
    mupdf.pdf_write_document(mupdf.pdf_document_from_fz_document(document.this), output, options)
    output.fz_close_output()
    if output.error is not None:
        raise output.error


def add_note(document, page, text):
    position = pymupdf.Rect(72, 72, 400, 110)
    annotation = document[page].add_freetext_annot(position, text, fontsize=12, text_color=(1, 0, 0))
    annotation.update()


def main():
    path, page, text = sys.argv[1], int(sys.argv[2]) - 1, sys.argv[3]
    with quire.open(path) as store:
        before = store.size
        document = open_document(store)
        add_note(document, page, text)
        with store.incremental() as save:
            write_incrementally(document, save)
        print(f"revision {store.revision}: {store.size - before} bytes were added")


if __name__ == "__main__":
    main()
