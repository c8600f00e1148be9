#!/usr/bin/env bash
# Builds and runs every program in Examples, and checks what it does. C and Python use libquire as `make install
# PREFIX=.build/prefix` has put it there.
set -euo pipefail
cd "$(dirname "$0")/.."
trap 'echo "examples: line $LINENO failed" >&2' ERR

pdf=Tests/Fixtures/pdf/saved.pdf
work=.build/examples
prefix=$PWD/.build/prefix
rm -rf "$work" && mkdir -p "$work"
store=$work/saved.pdf.gz
"$prefix/bin/quire" pack "$pdf" -o "$store"

# The Swift program of that name, built.
swift_example() {
    swift build -c release --product "$1" >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; return 1; }
    local program=.build/release/$1
    shift
    "$program" "$@"
}

CompressedFile() {
    swift_example CompressedFile "$pdf" "$work/file.gz" | tee "$work/out"
    grep -qx 'sound' "$work/out"
    gunzip -c "$work/file.gz" | cmp - "$pdf"
}

EncryptedStore() {
    QUIRE_PASSPHRASE="correct horse battery staple" swift_example EncryptedStore "$pdf" "$work/secret.aes" | tee "$work/out"
    grep -q 'identical$' "$work/out"
    grep -q 'wrong passphrase.*(authenticationFailed)$' "$work/out"
    [ "$(head -c 2 "$work/secret.aes" | od -An -tx1)" = " 03 01" ]
}

InMemory() {
    swift_example InMemory | tee "$work/out"
    grep -q '^the same document' "$work/out"
}

RenderPage() {
    if ! ls .build/pdfium/libpdfium.* >/dev/null 2>&1; then
        echo "skipped: PDFium is not here (Scripts/fetch-pdfium.sh)"
        return
    fi
    swift_example RenderPage "$store" 1 "$work/page.png"
    [ "$(head -c 4 "$work/page.png" | tail -c 3)" = PNG ]
}

# With nothing in the environment: the library needs no Swift.
C() {
    cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" Examples/C/read.c \
        -L"$prefix/lib" -lquire -Wl,-rpath,"$prefix/lib" -o "$work/read"
    env -i "$work/read" "$store" 20000 10000 | cmp - <(tail -c +20001 "$pdf" | head -c 10000)
    env -i "$work/read" "$store" 0 100000000 | cmp - "$pdf"
    if env -i "$work/read" "$pdf" 0 1 2>"$work/out"; then return 1; fi
    grep -q '(notAStore)$' "$work/out"
    echo "identical to the plain file"
}

Python() {
    local python=.build/python/bin/python
    if [ ! -x "$python" ]; then
        echo "skipped: Python's PDF libraries are not here (Scripts/fetch-python.sh)"
        return
    fi
    export QUIRE_LIBRARY=$prefix/lib/libquire.so PYTHONDONTWRITEBYTECODE=1
    cp "$store" "$work/notes.gz"
    "$python" Examples/Python/extract_text.py "$work/notes.gz" 1 >"$work/out"
    head -n 1 "$work/out"
    "$python" Examples/Python/annotate.py "$work/notes.gz" 1 "A note of the example"
    cmp -n "$(stat -c %s "$pdf")" <(gunzip -c "$work/notes.gz") "$pdf"
    gunzip -c "$work/notes.gz" | grep -aq 'A note of the example'
}

for example in CompressedFile EncryptedStore InMemory RenderPage C Python; do
    echo "== Examples/$example"
    "$example"
done
echo "examples: all ran"
