#!/usr/bin/env bash
# Builds a shared library of each peer into .build/peers, from our own shims and the peers' headers or sources. What is there is
# kept; what cannot be built is named, one line each, and no error: the benchmark names it again.
#
#   Benchmarks/peers/build.sh           builds
#   Benchmarks/peers/build.sh --fetch   first gets sources into .build/peers/src, from Debian and PyPI
#
# On Debian 12: apt-get install gcc g++ zlib1g-dev libhts-dev libzstd-dev dictzip pigz qpdf python3-pip
set -uo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
mkdir -p "$here/../../.build/peers/src"
out="$(cd "$here/../../.build/peers" && pwd)"
src="$out/src"
zstd_source=libzstd
indexed_gzip=1.10.3
rapidgzip=0.16.2

fetch_zstd() { # the source package of Debian's own libzstd: contrib/ is in no binary package
    # The machine's own sources, asked for the source of the release: those of updates are not on every mirror.
    local release && release="$(. /etc/os-release && echo "$VERSION_CODENAME")"
    rm -rf "$src/sources" && mkdir -p "$src/sources" "$src/lists/partial"
    cp /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} "$src/sources" 2>/dev/null
    sed -i -e 's/^deb /deb-src /' -e 's/^Types:.*/Types: deb-src/' "$src"/sources/*
    local options=(-q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$src/sources"
        -o Dir::State::lists="$src/lists" -o APT::Sandbox::User=root)
    (cd "$src" && apt-get "${options[@]}" update &&
        apt-get "${options[@]}" source --download-only "$zstd_source/$release" &&
        tar -xf libzstd_*.orig.tar.xz) >"$src/zstd.log" 2>&1 || echo "zstd: no source, see $src/zstd.log"
}

fetch_sdist() { # a source distribution of PyPI
    python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$src" "$1==$2" >"$src/$1.log" 2>&1 &&
        tar -xf "$src"/"$1"-"$2".tar.gz -C "$src" || echo "$1: no source, see $src/$1.log"
}

if [ "${1:-}" = --fetch ]; then
    ls -d "$src"/zstd-*/contrib >/dev/null 2>&1 || fetch_zstd
    [ -d "$src/indexed_gzip-$indexed_gzip" ] || fetch_sdist indexed_gzip "$indexed_gzip"
    [ -d "$src/rapidgzip-$rapidgzip" ] || fetch_sdist rapidgzip "$rapidgzip"
fi

build() { # build NAME COMPILER ARGUMENTS...
    local name=$1
    shift
    local library="$out/$name.so"
    if [ "$library" -nt "$(ls -t "$here"/"$name".c* "$here"/*.h | head -1)" ]; then return; fi
    if ! "$@" -O2 -fPIC -shared -I"$here" -o "$library.new" >"$out/$name.log" 2>&1; then
        echo "$name: not built: $(grep -m 1 -E 'error|not found|cannot find' "$out/$name.log")"
        return
    fi
    mv "$library.new" "$library"
}

need() { # need NAME FOLDER: whether the sources are there
    if [ -d "$2" ]; then return 0; fi
    echo "$1: no source here: Benchmarks/peers/build.sh --fetch gets it"
    return 1
}

cd "$here"
build bgzf gcc bgzf.c -lhts
build dictzip gcc dictzip.c -lz
command -v dictzip >/dev/null || echo "dictzip: the program that packs is not installed"
zstd="$(ls -d "$src"/zstd-* 2>/dev/null | head -1)"
seekable="$zstd/contrib/seekable_format"
if need zstd "$seekable"; then
    build zstd gcc -DXXH_NAMESPACE=ZSTD_ -I"$seekable" -I"$zstd/lib" -I"$zstd/lib/common" zstd.c \
        "$seekable"/zstdseek_compress.c "$seekable"/zstdseek_decompress.c "$zstd/lib/common/xxhash.c" -lzstd
fi
zran="$src/indexed_gzip-$indexed_gzip/indexed_gzip"
if need indexed_gzip "$zran"; then
    build indexed_gzip gcc -DINDEXED_GZIP_VERSION="\"$indexed_gzip\"" -Ipython -I"$zran" indexed_gzip.c "$zran/zran.c" -lz
fi
if need rapidgzip "$src/rapidgzip-$rapidgzip/src"; then
    build rapidgzip g++ -std=c++17 -I"$src/rapidgzip-$rapidgzip/src" rapidgzip.cpp -lz -lpthread
fi
exit 0
