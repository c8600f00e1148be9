#!/usr/bin/env bash
# Regenerates the PDF fixtures in Tests/Fixtures/pdf.
#
# The fixtures are committed; run this only to change them. It is meant for
# Debian 12, whose packages it uses (and installs when missing). On one release
# of those packages every run gives the same bytes: dates and IDs are fixed and
# all random numbers are seeded.
set -euo pipefail
export LC_ALL=C TZ=UTC

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="$here/../Tests/Fixtures/pdf"
limit=300000 # bytes, all fixtures together: they live in git

# reportlab writes the documents, Pillow the images, PyMuPDF (python3-fitz) the
# incremental saves; qpdf rewrites and checks; poppler-utils is a second opinion.
packages=(python3 python3-reportlab python3-pil python3-fitz qpdf poppler-utils)

missing=()
for package in "${packages[@]}"; do
    status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
    [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
    echo "Installing with apt-get: ${missing[*]}"
    sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -q
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

# Everything is made and checked in a scratch directory, so that a failure
# leaves the committed fixtures alone.
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
made="$scratch/made"
mkdir "$made"

# Debian's own Python: another one earlier in PATH would not see its packages.
# -I also ignores PYTHONPATH and the user's site-packages; -B leaves no cache.
/usr/bin/python3 -I -B "$here/make-fixtures.py" "$made" "$scratch"

# The packed form (object streams, cross-reference stream) for the images, so
# that the set has both kinds of file structure.
qpdf --deterministic-id --object-streams=generate \
    "$scratch/images-plain.pdf" "$made/images.pdf"

qpdf --deterministic-id --stream-data=uncompress \
    "$made/text.pdf" "$made/uncompressed.pdf"

# A file is good when qpdf finds no error or warning and poppler draws every
# page without complaint.
check() {
    qpdf --check "$1" >/dev/null
    local complaints
    if ! complaints="$(pdfinfo "$1" 2>&1 >/dev/null && pdftoppm -r 20 "$1" 2>&1 >/dev/null)" ||
        [ -n "$complaints" ]; then
        echo "$1: $complaints" >&2
        return 1
    fi
}
for name in text images form uncompressed saved; do
    check "$made/$name.pdf"
done
# The base followed by its first k saves must be a whole PDF for every k.
cp "$made/saved.pdf" "$scratch/step.pdf"
for k in 1 2 3; do
    cat "$made/saved-$k.bin" >>"$scratch/step.pdf"
    check "$scratch/step.pdf"
done

total="$(cat "$made"/* | wc -c)"
if [ "$total" -gt "$limit" ]; then
    echo "The fixtures have $total bytes, more than $limit." >&2
    exit 1
fi

mkdir -p "$out"
cp "$made"/* "$out/"
(cd "$out" && wc -c -- *.pdf *.bin && sha256sum -- *.pdf *.bin)
