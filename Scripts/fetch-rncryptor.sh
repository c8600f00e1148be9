#!/usr/bin/env bash
# Fetches RNCryptor for Python, another implementation of the format of QuireCrypto, for the test that crosses with it.
#
# It goes into .build/rncryptor; nothing is installed elsewhere. Without network, or without python3 and pip, it says so and
# succeeds: the test is then skipped.
set -euo pipefail

version="${RNCRYPTOR_VERSION:-3.3.0}"
out="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.build/rncryptor"

# The stamp is written last: a run that was cut off is begun again.
if [ "$(cat "$out/version" 2>/dev/null || true)" = "$version" ]; then exit 0; fi

rm -rf "$out"
mkdir -p "$out"
echo "Fetching RNCryptor $version for Python"
if timeout 120 python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
    --retries 1 --target "$out" "rncryptor==$version"; then
    echo "$version" >"$out/version"
    echo "RNCryptor is in .build/rncryptor"
else
    echo "fetch-rncryptor.sh: it could not be fetched; the test that needs it is skipped" >&2
fi
