#!/usr/bin/env bash
# Fetches PDFium, for the tests, the example and the benchmarks that render.
#
# Quire neither links nor ships PDFium. This takes the shared library out of the Python wheel pypdfium2 and puts it
# into .build/pdfium; nothing is installed. It needs python3 with pip (on Debian 12: apt-get install python3-pip).
#
#   Scripts/fetch-pdfium.sh                          nothing to do and nothing to say if it is there
#   PYPDFIUM2_VERSION=5.8.0 Scripts/fetch-pdfium.sh  another version
set -euo pipefail

version="${PYPDFIUM2_VERSION:-5.15.2}"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="$here/../.build/pdfium"

# The stamp is written last: a run that was cut off is begun again.
if [ "$(cat "$out/version" 2>/dev/null || true)" = "$version" ] && ls "$out"/libpdfium.* >/dev/null 2>&1; then
    exit 0
fi

if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "fetch-pdfium.sh: python3 with pip is needed (Debian: apt-get install python3-pip)" >&2
    exit 1
fi

mkdir -p "$out"
out="$(cd "$out" && pwd)"
scratch="$(mktemp -d "$out/fetch.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

echo "Fetching PDFium from the wheel pypdfium2 $version"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$scratch" "pypdfium2==$version"

python3 - "$scratch" <<'PYTHON'
import pathlib, sys, zipfile

scratch = pathlib.Path(sys.argv[1])
[wheel] = scratch.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    libraries = [name for name in archive.namelist()
                 if name.rpartition("/")[2] in ("libpdfium.so", "libpdfium.dylib")]
    if len(libraries) != 1:
        sys.exit(f"fetch-pdfium.sh: {wheel.name} has {len(libraries)} PDFium libraries, not 1")
    (scratch / libraries[0].rpartition("/")[2]).write_bytes(archive.read(libraries[0]))
PYTHON

# Renamed into place, as a process may have the old one open.
rm -f "$out/version"
mv -f "$scratch"/libpdfium.* "$out/"
echo "$version" >"$out/version"
echo "PDFium is in .build/pdfium"
