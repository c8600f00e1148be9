"""quire.py itself, with nothing but Python's own library."""

import io
import random
import re
import threading
import unittest

from support import FIXTURES, ROOT, StoreTest, gunzip, quire

DOCUMENT = (FIXTURES / "images.pdf").read_bytes()


class CodeTest(unittest.TestCase):
    def test_names_are_those_of_the_header_and_of_swift(self):
        header = (ROOT / "Sources/CQuire/include/quire.h").read_text()
        swift = (ROOT / "Sources/Quire/Errors/QuireError.swift").read_text()
        codes = {int(code): name for name, code in re.findall(r"QUIRE_([A-Z_]+) = (-?\d+)", header.split("Options")[0])}
        self.assertEqual(sorted(codes), list(range(-17, 1)))
        for code, name in codes.items():
            words = name.lower().split("_")
            camel = words[0] + "".join(word.capitalize() for word in words[1:])
            self.assertEqual(quire.Error(code, "").name, camel)
            if camel not in ("ok", "noHandle", "other"):
                self.assertIn(f'Code("{camel}")', swift)


class FileTest(StoreTest):
    def test_is_read_as_the_plain_file(self):
        store = quire.open(self.pack(DOCUMENT, block_size=512))
        with store.file() as stored, open(FIXTURES / "images.pdf", "rb") as plain:
            seed = random.randrange(1 << 30)
            numbers = random.Random(seed)
            for _ in range(3000):
                whence = numbers.choice([io.SEEK_SET, io.SEEK_CUR, io.SEEK_END])
                offset = numbers.randrange(-100, len(DOCUMENT) + 100)
                count = numbers.choice([-1, 0, 1, 13, 512, 5000])
                moves = []
                for file in (stored, plain):
                    try:
                        moves.append(file.seek(offset, whence))
                    except (ValueError, OSError):
                        moves.append("before the beginning")
                self.assertEqual(*moves, f"seed {seed}")
                self.assertEqual(stored.read(count), plain.read(count), f"seed {seed}")
                self.assertEqual(stored.tell(), plain.tell(), f"seed {seed}")

    def test_raw_file_fills_any_buffer(self):
        file = quire.open(self.pack(DOCUMENT)).file().detach()
        self.assertEqual(file.size, len(DOCUMENT))
        for buffer in (bytearray(100), memoryview(bytearray(100)), memoryview(bytearray(400)).cast("i")):
            file.seek(1000)
            count = memoryview(buffer).nbytes
            self.assertEqual(file.readinto(buffer), count)
            self.assertEqual(bytes(buffer), DOCUMENT[1000 : 1000 + count])
        self.assertEqual(file.readinto(bytearray()), 0)
        with self.assertRaises((BufferError, TypeError)):
            file.readinto(b"read only")
        file.seek(1 << 70)
        self.assertEqual(file.read(), b"")

    def test_keeps_its_revision_and_outlives_the_store(self):
        with quire.open(self.pack(DOCUMENT)) as store:
            file = store.file()
            with store.replace() as save:
                save.write(b"new")
            self.assertEqual(store.read_at(0, 100), b"new")
        self.assertEqual(file.read(), DOCUMENT)

    def test_closed_file_is_an_error(self):
        file = quire.open(self.pack(DOCUMENT)).file().detach()
        file.close()
        file.close()
        for use in (lambda: file.read(1), lambda: file.seek(0), file.tell):
            self.assertRaises(ValueError, use)

    def test_is_read_from_many_threads(self):
        store, failures = quire.open(self.pack(DOCUMENT)), []

        def read(seed):
            numbers = random.Random(seed)
            for _ in range(300):
                start, count = numbers.randrange(len(DOCUMENT)), numbers.randrange(10000)
                if store.read_at(start, count) != DOCUMENT[start : start + count]:
                    failures.append((seed, start, count))

        threads = [threading.Thread(target=read, args=[seed]) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class SaveTest(StoreTest):
    def test_every_kind_of_save(self):
        path = self.pack(b"one ")
        store = quire.open(path)
        uid = store.uid
        with store.append() as save:
            save.write(b"two ")
        with store.incremental() as save:
            self.assertEqual(save.write(b"one two three"), 13)
            self.assertEqual(save.tell(), 13)
        self.assertEqual((store.read_at(0, 99), store.revision), (b"one two three", 3))
        with store.replace() as save:
            for part in (b"bytes ", bytearray(b"bytearray "), memoryview(b"view"), memoryview(bytearray(b"!"))):
                save.write(part)
        self.assertEqual(gunzip(path), b"bytes bytearray view!")
        self.assertEqual((store.uid, store.revision, store.size), (uid, 4, 21))

    def test_exception_abandons_the_save(self):
        path = self.pack(b"old")
        store = quire.open(path)
        with self.assertRaises(ZeroDivisionError):
            with store.replace() as save:
                save.write(b"new")
                save.write(bytes(1 // 0))
        with self.assertRaises(ZeroDivisionError):
            with quire.create(self.folder / "new.gz") as save:
                save.write(bytes(1 // 0))
        store.refresh()
        self.assertEqual(store.read_at(0, 9), b"old")
        self.assertEqual([file.name for file in self.folder.iterdir()], ["store.gz"])

    def test_lost_save_leaves_nothing(self):
        store = quire.open(self.pack(b"old"))
        store.replace().write(b"new")
        del store
        self.assertEqual([file.name for file in self.folder.iterdir()], ["store.gz"])

    def test_errors_have_codes(self):
        path = self.pack(b"old")
        with self.assertRaises(quire.Error) as caught:
            quire.create(path)
        self.assertEqual(caught.exception.name, "conflict")
        with self.assertRaises(quire.Error) as caught:
            quire.open(self.folder / "nowhere.gz")
        self.assertEqual(caught.exception.name, "fileNotFound")
        self.assertIn("nowhere.gz", str(caught.exception))
        with self.assertRaises(quire.Error) as caught:
            with quire.open(path).incremental() as save:
                save.write(b"other")
        self.assertEqual(caught.exception.name, "conflict")
        store = quire.open(path)
        store.close()
        with self.assertRaises(quire.Error) as caught:
            store.size
        self.assertEqual(caught.exception.name, "noHandle")
        with self.assertRaises(io.UnsupportedOperation):
            quire.open(path).append().seek(5)
        (self.folder / "plain.pdf").write_bytes(DOCUMENT)
        with self.assertRaises(quire.Error) as caught:
            quire.open(self.folder / "plain.pdf")
        self.assertEqual(caught.exception.name, "notAStore")


if __name__ == "__main__":
    unittest.main()
