#!/usr/bin/env bash
# Shows on a real PDF what Quire does, and checks each step.
set -euo pipefail
cd "$(dirname "$0")/.."

quire=.build/release/quire
work=.build/demo
pdf=Tests/Fixtures/pdf/saved.pdf
rm -rf "$work" && mkdir -p "$work"
say() { printf '\n$ %s\n' "$*"; }

say "quire pack uncompressed.pdf; quire info uncompressed.pdf.gz   # much to gain: no stream is compressed"
"$quire" pack Tests/Fixtures/pdf/uncompressed.pdf -o "$work/uncompressed.pdf.gz"
"$quire" info "$work/uncompressed.pdf.gz" | head -n 4

say "quire pack saved.pdf; quire info saved.pdf.gz   # little to gain: all streams are"
"$quire" pack "$pdf" -o "$work/saved.pdf.gz"
"$quire" info "$work/saved.pdf.gz" | head -n 4

say "quire cat saved.pdf.gz --offset 20000 --length 4096   # the same bytes as in the plain file"
"$quire" cat "$work/saved.pdf.gz" --offset 20000 --length 4096 >"$work/part"
cmp "$work/part" <(tail -c +20001 "$pdf" | head -c 4096)
echo "4096 bytes, identical"

say "quire append saved.pdf.gz saved-1.bin   # an incremental save: only its bytes are written"
before=$(stat -c %s "$work/saved.pdf.gz")
"$quire" append "$work/saved.pdf.gz" Tests/Fixtures/pdf/saved-1.bin
after=$(stat -c %s "$work/saved.pdf.gz")
echo "the save: $(stat -c %s Tests/Fixtures/pdf/saved-1.bin) bytes; the store grew by $((after - before))"

say "gunzip -c saved.pdf.gz   # no lock-in: it is plain gzip"
gunzip -c "$work/saved.pdf.gz" | cmp - <(cat "$pdf" Tests/Fixtures/pdf/saved-1.bin)
echo "identical to the PDF and its save"

say quire verify saved.pdf.gz
"$quire" verify "$work/saved.pdf.gz"

say "RenderPage saved.pdf.gz 1 page.png   # PDFium reads the store through FPDF_LoadCustomDocument"
.build/release/RenderPage "$work/saved.pdf.gz" 1 "$work/page.png"
echo
echo "demo: all identical; the first page is in $PWD/$work/page.png"
