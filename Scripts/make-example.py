#!/usr/bin/env python3
"""Prints the worked example of Docs/FORMAT.md, built from that page alone, without Quire's code."""
import struct
import zlib

DOCUMENT = b"Hello, Quire!\n"
UUID = bytes.fromhex("000102030405460788090a0b0c0d0e0f")
TAG, BLOCK_SIZE, TIME = 0x51554952, 4096, 1_795_000_000_000
NONE = 2**64 - 1
EMPTY = bytes([3, 0]) + bytes(8)

rows = []
offset = 0


def put(data, words):
    global offset
    for start in range(0, len(data), 16):
        part = data[start:start + 16]
        rows.append(f"{offset:04x}  {part.hex(' ')}" + (f"  ; {words}" if start == 0 else ""))
        offset += len(part)


def header(letters, length):
    put(bytes.fromhex("1f8b0804"), "gzip, deflate, FEXTRA")
    put(bytes(5) + bytes([255]), "MTIME, XFL, OS")
    put(struct.pack("<H2sH", length + 4, letters, length), f"XLEN, {letters.decode()}, LEN")


deflate = zlib.compressobj(6, zlib.DEFLATED, -15, 9)
data = deflate.compress(DOCUMENT) + deflate.flush()
stored = b"\x01" + struct.pack("<HH", len(DOCUMENT), 0xFFFF - len(DOCUMENT)) + DOCUMENT
is_stored = len(data) > len(DOCUMENT) - len(DOCUMENT) // 50 - 1
data = stored if is_stored else data
crc, member = zlib.crc32(DOCUMENT), 32 + len(data) + 8

header(b"ZB", 16)
put(bytes([0x51, 1, is_stored, 0]), "magic, version, flags (stored), reserved")
put(struct.pack("<I", TAG + 0), "seal: tag + block number")
put(struct.pack("<II", member, len(DOCUMENT)), "memberSize, blockSize")
put(data, "one stored deflate block")
put(struct.pack("<II", crc, len(DOCUMENT)), "CRC32, ISIZE")

segment = offset
entry = struct.pack("<III", member, len(DOCUMENT) | is_stored << 31, crc)
head = b"QIRX" + struct.pack("<HH", 1, 0) + UUID + struct.pack("<II", 0, 1)
header(b"ZI", 36 + 12)
put(head[:8], "magic, version, reserved")
put(UUID, "UUID")
put(head[24:], "first, count")
put(struct.pack("<I", zlib.crc32(head + entry)), "CRC32 of this member")
put(entry, "entry: size, length (bit 31: stored), CRC32")
put(EMPTY, "empty deflate stream, CRC32, ISIZE")

footer = b"QIRF" + struct.pack("<HHII", 1, 0, 0, 0) + UUID + struct.pack(
    "<IIQqQQQQQQIII", TAG, BLOCK_SIZE, 1, TIME, len(DOCUMENT), 1, segment, NONE, NONE, offset, 1,
    zlib.crc32(entry), zlib.crc32(entry))
start = offset
header(b"ZI", 120)
put(footer[:8], "magic, version, reserved")
put(footer[8:16], "required flags, optional flags")
put(footer[16:32], "UUID")
put(footer[32:40], "tag, blockSize")
put(footer[40:56], "revision, commit time")
put(footer[56:72], "documentSize, blockCount")
put(footer[72:80], "segmentOffset")
put(footer[80:96], "previous live footer, previous footer: none")
put(footer[96:104], "footerOffset")
put(footer[104:116], "entryCount, segment CRC32, blocks CRC32")
put(struct.pack("<I", zlib.crc32(footer)), "CRC32 of the footer")
put(EMPTY, "empty deflate stream, CRC32, ISIZE")
print("\n".join(rows))
