#!/usr/bin/env bash
# Measures stores of both engines and writes Docs/BENCHMARKS.md and its charts. `make bench-docs` builds what this needs.
#
#   Benchmarks/docs.sh [FILE or folder ...]     the documents; else those of QUIRE_CORPUS, or the fixtures
#   ROUNDS=3 Benchmarks/docs.sh ...             other than 5 interleaved rounds
#
# Each run leaves its numbers as JSON, and what it said, in .build/bench-docs.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="$(cd "$here/../.build" && pwd)"
out="$build/bench-docs"
rm -rf "$out"
mkdir -p "$out"
documents=("$@")
reports=()

bench() { # bench ENGINE OPTIONS...
    local folder=benchmarks
    if [ "$1" != zlib ]; then folder=benchmarks-$1; fi
    shift
    ${ALONE:+taskset -c 0} "$build/$folder/release/bench" "$@"
}

run() { # run ENGINE NAME OPTIONS...; with ALONE=yes on one core
    local engine="$1" name="$1-$2"
    shift 2
    echo "$(date +%T) $name"
    bench "$engine" --json "$out/$name.json" --rounds "${ROUNDS:-5}" --limit 12 "$@" "${documents[@]}" >"$out/$name.txt"
    grep '^missing:' "$out/$name.txt" || true
    reports+=("$out/$name.json")
}

patterns=random-cold,sequential
ordinary=replay-first,replay-all,replay-jumps,random-warm,$patterns,open,pack,append,render
for engine in zlib libdeflate; do
    # Peers are measured once, but for those that the targets name.
    ways=Quire,BGZF,zstd
    if [ "$engine" = zlib ]; then ways="mmap,File,Quire,BGZF,zstd,dictzip,dictzip raw,indexed_gzip,rapidgzip"; fi
    blocks= && if [ "$engine" = zlib ]; then blocks=,block-size; fi
    settings="Quire $engine balanced,Quire $engine speed,Quire $engine size,BGZF,zstd -3"
    run "$engine" ordinary --threads 1 --collections asTheyAre --measures "$ordinary$blocks" --ways "$ways"
    run "$engine" uncompressed --threads 1 --collections uncompressed --measures "replay-all,$patterns$blocks" --ways "$ways"
    run "$engine" threads --threads 2 --collections asTheyAre --measures "replay-all,$patterns" --ways "$settings"
    if command -v taskset >/dev/null; then
        ALONE=yes run "$engine" alone --threads 1 --measures replay-all,sequential --ways "$settings"
    else
        echo "one core: not measured, taskset is not here"
    fi
done

IFS=,
bench zlib --page "${reports[*]}"
