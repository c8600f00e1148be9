#!/usr/bin/env bash
# Makes stores of the present format version, once for each release: Scripts/make-stores.sh v1
# Stores of a released version are never made again: every later version must open them as they are.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
quire=.build/release/quire
pdf=Tests/Fixtures/pdf
out=Tests/Fixtures/stores
if ls "$out/$version"-* >/dev/null 2>&1; then
    echo "make-stores: $version is there and stays as it is" >&2
    exit 1
fi
printf '' | "$quire" pack - -o "$out/$version-empty.gz"
printf 'Hello, Quire!\n' | "$quire" pack - -o "$out/$version-hello.gz"
"$quire" pack "$pdf/uncompressed.pdf" -o "$out/$version-deflated.gz" --level 9 --block-size 4096
# Incompressible: the blocks are stored.
head -c 20000 "$pdf/images.pdf" | tail -c 8000 | "$quire" pack - -o "$out/$version-stored.gz" --block-size 4096
# A chain of saves, and one that a crash tore.
"$quire" pack "$pdf/form.pdf" -o "$out/$version-saves.gz"
for save in 1 2 3; do "$quire" append "$out/$version-saves.gz" "$pdf/saved-$save.bin"; done
head -c -40 "$out/$version-saves.gz" >"$out/$version-torn.gz"
# Footers with a CRC of all blocks.
"$quire" pack "$pdf/form.pdf" -o "$out/$version-checked.gz"
"$quire" append "$out/$version-checked.gz" "$pdf/saved-1.bin"
# The other engine: swift build -c release --traits Libdeflate --scratch-path .build/libdeflate --product quire
libdeflate=.build/libdeflate/release/quire
"$libdeflate" pack --level 12 --block-size 16K "$pdf/form.pdf" -o "$out/$version-libdeflate.gz"
"$libdeflate" append --level 12 "$out/$version-libdeflate.gz" "$pdf/saved-1.bin"
ls -l "$out"
