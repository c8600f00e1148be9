#!/usr/bin/env bash
# Makes a Python environment in .build/python with the PDF libraries that the tests and examples of quire.py use, and with RNCryptor,
# another implementation of the format of QuireCrypto.
#
# Nothing is installed outside .build. It needs python3 with pip (Debian: apt-get install python3-pip), and says nothing if
# all is there.
set -euo pipefail

packages=(pypdf==7.1.1 pikepdf==10.18.0 pypdfium2==5.15.2 PyMuPDF==1.28.2 rncryptor==3.3.0)
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="$here/../.build/python"

# The stamp is written last: a run that was cut off is begun again. A venv knows its path: a moved one is made anew.
mkdir -p "$here/../.build"
stamp="$(cd "$here/../.build" && pwd)/python ${packages[*]}"
if [ "$(cat "$out/stamp" 2>/dev/null || true)" = "$stamp" ] && "$out/bin/python" -c '' 2>/dev/null; then
    exit 0
fi

echo "Fetching into .build/python: ${packages[*]}"
rm -rf "$out"
python3 -m venv --without-pip "$out"
python3 -m pip --python "$out/bin/python" install --quiet --disable-pip-version-check --only-binary :all: --no-binary rncryptor \
    "${packages[@]}"
echo "$stamp" >"$out/stamp"
echo "Python with PDF libraries is in .build/python"
