#!/usr/bin/env bash
# The tool as a shell user meets it, every command once, and the examples that need no PDFium, on the project's own PDFs.
# Arguments: the programs quire and EncryptedStore.
set -euo pipefail
quire=$(realpath "$1")
encrypted=$(realpath "$2")
cd "$(dirname "$0")/../Tests/Fixtures/pdf"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "smoke: line $LINENO failed" >&2' ERR

for pdf in *.pdf; do
    "$quire" pack "$pdf" -o "$work/$pdf.gz" --level 9
    gunzip -c "$work/$pdf.gz" | cmp - "$pdf"
    "$quire" unpack "$work/$pdf.gz" -o - | cmp - "$pdf"
    "$quire" verify "$work/$pdf.gz" >/dev/null
    "$quire" info --json "$work/$pdf.gz" | python3 -m json.tool >/dev/null
    "$quire" unpack --plain "$work/$pdf.gz" -o - | gunzip -c | cmp - "$pdf"
done
cat saved-1.bin | "$quire" append "$work/saved.pdf.gz" -
"$quire" cat "$work/saved.pdf.gz" | cmp - <(cat saved.pdf saved-1.bin)
# Back to the first save, and full blocks of twenty small ones.
[ "$("$quire" log --json "$work/saved.pdf.gz" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" -eq 2 ]
"$quire" cat --revision 1 "$work/saved.pdf.gz" | cmp - saved.pdf
"$quire" rollback "$work/saved.pdf.gz" 1 >/dev/null
"$quire" cat "$work/saved.pdf.gz" | cmp - saved.pdf
for _ in {1..20}; do echo "% a small save" | "$quire" append "$work/saved.pdf.gz" -; done
"$quire" cat "$work/saved.pdf.gz" >"$work/saves"
"$quire" info "$work/saved.pdf.gz" | grep -q '^compacting '
"$quire" compact "$work/saved.pdf.gz" | grep -q '; saved '
gunzip -c "$work/saved.pdf.gz" | cmp - "$work/saves"
cat text.pdf | "$quire" pack - -o - | gunzip -c | cmp - text.pdf
status=0
"$quire" pack "$work/none.pdf" 2>"$work/error" || status=$?
[ "$status" -eq 1 ] && [ "$(wc -l <"$work/error")" -eq 1 ]
status=0
"$quire" pack --level 10 text.pdf 2>/dev/null || status=$?
[ "$status" -eq 2 ]
# Bytes of a block are damaged: exit status 3.
tail -c +501 "$work/text.pdf.gz" | head -c 8 | tr '\000-\377' '\001-\377\000' |
    dd of="$work/text.pdf.gz" bs=1 seek=500 conv=notrunc status=none
status=0
"$quire" verify "$work/text.pdf.gz" >/dev/null 2>&1 || status=$?
[ "$status" -eq 3 ]
# What is left of it is salvaged, what it was is kept.
status=0
"$quire" repair --salvage "$work/text.pdf.gz" >/dev/null || status=$?
[ "$status" -eq 3 ]
"$quire" verify "$work/text.pdf.gz" >/dev/null
[ -f "$work/text.pdf.gz.bak" ]
# 1 GiB through a pipe, within 64 MiB of memory.
peak=$(python3 - "$quire" "$work/large.gz" <<'PYTHON'
import resource, subprocess, sys
piece = bytes(range(256)) * 4096
pack = subprocess.Popen([sys.argv[1], "pack", "--level", "1", "-", "-o", sys.argv[2]], stdin=subprocess.PIPE)
for _ in range(1024):
    pack.stdin.write(piece)
pack.stdin.close()
assert pack.wait() == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
)
[ "$peak" -lt 65536 ]
[ "$("$quire" cat "$work/large.gz" | wc -c)" -eq 1073741824 ]

# A GiB that cannot be compressed: all of it goes through the cipher.
export QUIRE_PASSPHRASE="correct horse battery staple"
rm "$work/large.gz"
head -c 1073741824 /dev/urandom >"$work/noise"
encrypted_peak=$(python3 - "$encrypted" "$work/noise" "$work/noise.aes" <<'PYTHON'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
)
[ "$encrypted_peak" -lt 65536 ]

echo "smoke: encrypting 1 GiB and reading it took $((encrypted_peak / 1024)) MiB of memory"
echo "smoke: packing 1 GiB took $((peak / 1024)) MiB of memory"
echo "smoke: every command of quire does what it says"
