#!/usr/bin/env bash
# Installs what the build and the tests need and a fresh Debian with Swift lacks, and says what.
# Arguments: other Debian packages that are needed, as libdeflate-dev for the trait Libdeflate.
set -euo pipefail

missing=()
need() { # need PACKAGE TEST...: the package, unless the test succeeds
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

need pkg-config command -v pkg-config
need zlib1g-dev test -e /usr/include/zlib.h
need libssl-dev test -e /usr/include/openssl/evp.h
need busybox command -v busybox    # one of the gzip readers of the tests
need gcc command -v cc           # compiles the C library's tests and example
need g++ command -v c++         # the same as C++
need binutils command -v nm     # reads what the C library exports
need valgrind command -v valgrind  # counts instructions of the hot paths
need python3 command -v python3    # reads stores with Python's zlib; unpacks the PDFium wheel; RNCryptor
need python3-pip python3 -m pip --version    # downloads that wheel, RNCryptor, and the PDF libraries of the Python tests
for package in "$@"; do need "$package" dpkg-query --show --showformat '${Version}' "$package"; done

if ! command -v swift >/dev/null; then
    echo "setup: Swift 6.2 or newer is needed and not in PATH: see https://www.swift.org/install" >&2
    exit 1
fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
if ! command -v apt-get >/dev/null || ! command -v "${sudo[0]:-true}" >/dev/null; then
    echo "setup: please install these Debian packages, or their counterparts: ${missing[*]}" >&2
    exit 1
fi
echo "setup: installing ${missing[*]}"
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
