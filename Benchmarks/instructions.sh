#!/usr/bin/env bash
# Counts the instructions of one operation of each hot path, which other programs on the machine do not change, and compares
# them with Benchmarks/instructions.txt: 10 % more is an error, where Swift, zlib and processor are those that the file names.
# With others the counts are shown.
#
#   Benchmarks/instructions.sh            compares
#   Benchmarks/instructions.sh --update   writes the file anew
#
# callgrind collects in one function alone, so that no start-up is in it. Needs valgrind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

expected=Benchmarks/instructions.txt
scratch="${QUIRE_BENCH_SCRATCH:-.build/benchmarks}"
if ! command -v valgrind >/dev/null; then
    echo "instructions.sh: valgrind is needed (Debian: apt-get install valgrind)" >&2
    exit 2
fi
swift build -c release --package-path Benchmarks --scratch-path "$scratch" --product hotpaths >/dev/null
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# Paths, and how often: the more an operation does, the less.
paths=(encode:8 warm-deflated:10000 inflate:32 warm-stored:10000 open:200)

count() { # count PATH:N
    SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        --toggle-collect='$s8hotpaths8measured*' \
        "$scratch/release/hotpaths" "${1%:*}" "${1#*:}" 2>&1 | sed -n 's/.*Collected : //p' >"$folder/${1%:*}"
}
export scratch folder
export -f count
printf '%s\n' "${paths[@]}" | xargs -P 2 -I {} bash -c 'count {}'

failed=0
machine="# $(swift --version 2>/dev/null | grep -o -m 1 'Swift version [^ ]*'), zlib $(pkg-config --modversion zlib), $(uname -m)"
{
    echo "# Instructions of one operation, by Benchmarks/instructions.sh --update"
    echo "$machine"
} >"$folder/result"
isSame=yes
if [ "${1:-}" != --update ] && ! grep -qxF "$machine" "$expected"; then
    isSame=no
    echo "instructions.sh: $expected is of another machine (here: ${machine#\# }), so nothing fails" >&2
fi
for entry in "${paths[@]}"; do
    path="${entry%:*}"
    total="$(cat "$folder/$path")"
    if [ "${total:-0}" -eq 0 ]; then
        echo "instructions.sh: $path did not run under valgrind" >&2
        exit 2
    fi
    each=$((total / ${entry#*:}))
    echo "$path $each" >>"$folder/result"
    old="$(sed -n "s/^$path //p" "$expected" 2>/dev/null || true)"
    if [ -z "$old" ]; then
        printf '%-14s %12d\n' "$path" "$each"
        continue
    fi
    change="$(awk -v new="$each" -v old="$old" 'BEGIN { printf "%+.1f %%", 100 * (new / old - 1) }')"
    printf '%-14s %12d %12d  %s\n' "$path" "$each" "$old" "$change"
    if [ $((each * 10)) -gt $((old * 11)) ] && [ "${1:-}" != --update ] && [ "$isSame" = yes ]; then
        echo "instructions.sh: $path takes $each instructions, $change against $old: more than 10 % worse" >&2
        failed=1
    fi
done
if [ "${1:-}" = --update ]; then cp "$folder/result" "$expected"; fi
exit "$failed"
