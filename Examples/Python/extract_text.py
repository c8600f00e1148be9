"""Prints the text of a page of a PDF in a store, with pypdf, which reads what it needs: extract_text.py STORE PAGE"""

import sys

import pypdf

import quire


def main():
    with quire.open(sys.argv[1]) as store:
        print(pypdf.PdfReader(store.file()).pages[int(sys.argv[2]) - 1].extract_text())


if __name__ == "__main__":
    main()
