"""What the tests share."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests/Fixtures/pdf"
sys.path.insert(0, str(ROOT / "Examples/Python"))

import quire  # noqa: E402


class StoreTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pack(self, document, name="store.gz", **options):
        with quire.create(self.folder / name, **options) as save:
            save.write(document)
        return self.folder / name

    def pack_fixture(self, name):
        return self.pack((FIXTURES / name).read_bytes(), name + ".gz")


def gunzip(path):
    return subprocess.run(["gzip", "-dc", path], check=True, capture_output=True).stdout
