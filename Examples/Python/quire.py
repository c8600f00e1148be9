"""Quire's stores for Python: libquire.so through ctypes, and nothing else.

    import quire, pypdf

    with quire.create("report.pdf.gz") as save:              # a new store; it appears when the block ends well
        save.write(open("report.pdf", "rb").read())

    with quire.open("report.pdf.gz") as store:
        reader = pypdf.PdfReader(store.file())               # reads what it needs, at any offset
        with store.incremental() as save:                    # stores what the editor adds
            pypdf.PdfWriter(store.file(), incremental=True).write(save)

The library is the file in the environment's QUIRE_LIBRARY, else the one that the system finds as libquire.so.
"""

import ctypes
import io
import os

__all__ = ["Error", "File", "Save", "Store", "create", "open"]

REPLACE, APPEND, INCREMENTAL = 0, 1, 2
_FAVORS = {"balanced": 0, "size": 1, "speed": 2}
_CONFLICT = -12


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("level", ctypes.c_int32),
        ("favor", ctypes.c_int32),
        ("block_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("cache_bytes", ctypes.c_uint64),
    ]


def _load():
    library = ctypes.CDLL(os.environ.get("QUIRE_LIBRARY") or "libquire.so")
    handle, place = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
    for name, result, arguments in [
        ("api", ctypes.c_uint32, []),
        ("code_name", ctypes.c_char_p, [ctypes.c_int]),
        ("error_text", ctypes.c_char_p, []),
        ("open", ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(_Options), place]),
        ("close", None, [handle]),
        ("size", ctypes.c_int64, [handle]),
        ("read", ctypes.c_int64, [handle, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t]),
        ("uid", ctypes.c_int, [handle, ctypes.c_char_p, ctypes.c_size_t]),
        ("revision", ctypes.c_int64, [handle]),
        ("refresh", ctypes.c_int, [handle]),
        ("snapshot", ctypes.c_int, [handle, place]),
        ("begin", ctypes.c_int, [handle, ctypes.c_int, place]),
        ("create", ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(_Options), place]),
        ("write", ctypes.c_int, [handle, ctypes.c_void_p, ctypes.c_size_t]),
        ("commit", ctypes.c_int, [handle]),
        ("abandon", None, [handle]),
    ]:
        function = getattr(library, "quire_" + name)
        function.restype, function.argtypes = result, arguments
    if library.quire_api() < 1:
        raise ImportError("libquire.so is older than this module")
    return library


_library = _load()


class Error(OSError):
    """What the library says is wrong: `code` is a negative number of quire.h, `name` its name."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
        self.name = _library.quire_code_name(code).decode()


def _checked(answer):
    if answer < 0:
        raise Error(answer, _library.quire_error_text().decode())
    return answer


def _handle(function, *arguments):
    place = ctypes.c_void_p()
    _checked(function(*arguments, ctypes.byref(place)))
    return place.value


def _path(path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


def _options(overwrite=False, level=0, favor="balanced", block_size=0, cache_bytes=0):
    # ctypes would cut them without a word.
    for name, value, limit in ("level", level, 31), ("block_size", block_size, 32), ("cache_bytes", cache_bytes, 63):
        if not 0 <= value < 1 << limit:
            raise ValueError(f"{name} is {value}")
    return _Options(
        ctypes.sizeof(_Options), int(overwrite), level, _FAVORS[favor], block_size, 0, cache_bytes)


def open(path, **options):
    """Opens the store in a file. Options: level, favor, block_size, cache_bytes."""
    return Store(_handle(_library.quire_open, _path(path), _options(**options)))


def create(path, **options):
    """Begins a new store. Options: those of `open`, and overwrite=True to replace a file that is there."""
    return Save(_handle(_library.quire_create, _path(path), _options(**options)))


class _Closing:
    """Has a handle until it is closed. Closing twice is harmless."""

    _handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()


class Store(_Closing):
    """A store, read as it was when it was opened, refreshed or saved. May be used from many threads."""

    def __init__(self, handle):
        self._handle = handle

    def close(self):
        """Closes the store. Files and saves of it stay open."""
        handle, self._handle = self._handle, None
        _library.quire_close(handle)

    @property
    def size(self):
        """Bytes of the document."""
        return _checked(_library.quire_size(self._handle))

    @property
    def revision(self):
        """1 for a new store, one more at each save."""
        return _checked(_library.quire_revision(self._handle))

    @property
    def uid(self):
        """Names the document: the same after saves."""
        text = ctypes.create_string_buffer(_checked(_library.quire_uid(self._handle, None, 0)) + 1)
        _checked(_library.quire_uid(self._handle, text, len(text)))
        return text.value.decode()

    def read_at(self, offset, size):
        """Up to `size` bytes from `offset` on; fewer only where the document ends."""
        if offset < 0 or size < 0:
            raise ValueError(f"{size} bytes at {offset}")
        buffer = bytearray(max(0, min(size, self.size - offset)))
        count = _read_into(self._handle, offset, buffer)
        return bytes(memoryview(buffer)[:count])

    def refresh(self):
        """Reads from now on what is in the file now."""
        _checked(_library.quire_refresh(self._handle))

    def file(self):
        """The present revision as a file object, which later saves do not change. It closes by itself."""
        return io.BufferedReader(File(_handle(_library.quire_snapshot, self._handle)), 1 << 16)

    def replace(self):
        """Begins a save of a whole new document."""
        return self._begin(REPLACE)

    def append(self):
        """Begins a save of what follows the present document."""
        return self._begin(APPEND)

    def incremental(self):
        """Begins a save for an editor that writes the present document and then its changes: these are stored."""
        return self._begin(INCREMENTAL)

    def _begin(self, mode):
        return Save(_handle(_library.quire_begin, self._handle, mode))


class File(_Closing, io.RawIOBase):
    """One revision of a document: reads, seeks, tells. `Store.file()` makes one, with a buffer around it."""

    def __init__(self, handle):
        self._handle = handle
        self._position = 0
        self.size = _checked(_library.quire_size(handle))

    def close(self):
        handle, self._handle = self._handle, None
        _library.quire_close(handle)
        super().close()

    def readable(self):
        return True

    def seekable(self):
        return True

    def readinto(self, buffer):
        self._checkClosed()
        count = _read_into(self._handle, self._position, buffer)
        self._position += count
        return count

    def seek(self, offset, whence=io.SEEK_SET):
        self._checkClosed()
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        if base + offset < 0:
            raise ValueError(f"position {base + offset} is before the beginning")
        self._position = base + offset
        return self._position

    def tell(self):
        self._checkClosed()
        return self._position


class Save(_Closing, io.RawIOBase):
    """A save under way: write to it. In a `with` block it is committed at the end, and abandoned by an exception."""

    def __init__(self, handle):
        self._handle = handle
        self._position = 0

    def __exit__(self, kind, *_):
        if kind is None and self._handle is not None:
            self.commit()
        self.close()

    def commit(self):
        """Puts what was written in place, all of it, durably; or nothing, and raises why."""
        handle, self._handle = self._handle, None
        _checked(_library.quire_commit(handle))

    def close(self):
        """Abandons the save, if it was not committed."""
        handle, self._handle = self._handle, None
        _library.quire_abandon(handle)
        super().close()

    def writable(self):
        return True

    def write(self, data):
        self._checkClosed()
        view = memoryview(data).cast("B")
        # ctypes takes the address of bytes without a copy; of other buffers only if they can be written to.
        if not isinstance(data, bytes):
            data = bytes(view) if view.readonly else (ctypes.c_char * len(view)).from_buffer(view)
        _checked(_library.quire_write(self._handle, data, len(view)))
        self._position += len(view)
        return len(view)

    def tell(self):
        return self._position

    def seek(self, offset, whence=io.SEEK_SET):
        """Only to where the save is: some writers do that."""
        if whence == io.SEEK_SET and offset == self._position or whence != io.SEEK_SET and offset == 0:
            return self._position
        raise io.UnsupportedOperation("a save is written from front to back")


def _read_into(handle, offset, buffer):
    view = memoryview(buffer).cast("B")
    if len(view) == 0 or offset < 0:
        return 0
    memory = (ctypes.c_char * len(view)).from_buffer(view)
    return _checked(_library.quire_read(handle, min(offset, 2**64 - 1), memory, len(view)))
