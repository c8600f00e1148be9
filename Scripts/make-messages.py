#!/usr/bin/env python3
"""Writes Tests/Fixtures/crypto/messages.txt: encrypted messages by Python and the openssl command, not by Quire.

The fixtures are committed and never changed: every later version must open them. Needs python3 and openssl.
"""
import hashlib
import hmac
import pathlib
import subprocess

PASSPHRASE = "pass phrase, \u00fcber \u6587"
SALT = "a salt that is longer than eight bytes"


def bytes_of(label, count):
    """Bytes that are the same at each run."""
    return hashlib.shake_128(label.encode()).digest(count)


def pbkdf2(salt, rounds):
    return hashlib.pbkdf2_hmac("sha1", PASSPHRASE.encode(), salt, rounds, 32)


def message(head, iv, document, key, hmac_key):
    command = ["openssl", "enc", "-aes-256-cbc", "-K", key.hex(), "-iv", iv.hex()]  # pads as PKCS #7
    body = head + iv + subprocess.run(command, input=document, stdout=subprocess.PIPE, check=True).stdout
    return body + hmac.new(hmac_key, body, hashlib.sha256).digest()


def cases():
    for size in (0, 1, 15, 16, 17, 100):
        document, iv = bytes_of(f"document {size}", size), bytes_of(f"iv {size}", 16)
        salts = bytes_of(f"salts {size}", 16)
        keys = [pbkdf2(salt, 10_000) for salt in (salts[:8], salts[8:])]
        yield "password", document, {"password": PASSPHRASE}, message(b"\3\1" + salts, iv, document, *keys)
        key = pbkdf2(SALT.encode(), 1000)
        fields = {"password": PASSPHRASE, "salt": SALT, "rounds": 1000}
        yield "salt", document, fields, message(b"\3\0", iv, document, key, key)
        key, hmac_key = bytes_of(f"key {size}", 32), bytes_of(f"hmac key {size}", 32)
        fields = {"enc_key_hex": key.hex(), "hmac_key_hex": hmac_key.hex()}
        yield "keys", document, fields, message(b"\3\0", iv, document, key, hmac_key)


def main():
    lines = ["# Encrypted messages, made by Scripts/make-messages.py."]
    for form, document, fields, stored in cases():
        lines += ["", f"title: {form}, {len(document)} bytes", f"form: {form}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        lines += [f"plaintext_hex: {document.hex()}", f"message_hex: {stored.hex()}"]
    out = pathlib.Path(__file__).parent.parent / "Tests/Fixtures/crypto/messages.txt"
    out.parent.mkdir(exist_ok=True)
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
