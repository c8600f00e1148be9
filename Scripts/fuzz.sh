#!/usr/bin/env bash
# Fuzzes opening and reading of stores, encrypted messages and references: fuzz.sh SECONDS
#
# Begins with what the writers make, goes on with what earlier runs have kept in .build/fuzz-corpus. An input that traps, hangs for a
# second, each time, takes 512 MiB or gives a wrong byte ends it: it is left in .build/fuzz-findings; its place, once mended, is
# Tests/Fuzz/regressions.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
corpus=.build/fuzz-corpus
findings=.build/fuzz-findings
swift build -c release --package-path Tests/Fuzz --scratch-path .build/fuzz -Xswiftc -sanitize=fuzzer,address \
    -Xswiftc -use-ld=lld
mkdir -p "$corpus" "$findings"
fuzz=.build/fuzz/release/fuzz
# Memory that was freed is kept for a while to find its use: not so much that it looks like a leak.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 SWIFT_BACKTRACE=enable=no
"$fuzz" --seeds "$corpus"
runs=0
left=$seconds
while [ "$left" -gt 0 ]; do
    start=$SECONDS
    "$fuzz" -max_total_time="$left" -timeout=1 -rss_limit_mb=512 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$findings/" "$corpus" Tests/Fuzz/regressions 2>&1 | tee .build/fuzz.log |
        grep -E 'ERROR|SUMMARY|DONE' || true
    left=$((left - SECONDS + start))
    runs=$((runs + $(sed -n 's/^stat::number_of_executed_units: *//p' .build/fuzz.log)))
    grep -qE 'ERROR|SUMMARY' .build/fuzz.log || break
    # A second that passed while the machine did something else is no hang.
    input=$(sed -n 's/.*Test unit written to //p' .build/fuzz.log)
    if [[ "$input" != */timeout-* ]] || ! "$fuzz" -timeout=1 "$input" >/dev/null 2>&1; then
        echo "fuzz: a finding, $input" >&2
        exit 1
    fi
    rm "$input"
done
cover=$(grep -o 'cov: [0-9]*' .build/fuzz.log | tail -n 1)
echo "fuzz: $runs inputs in $((seconds - left)) s, $cover edges, $(ls "$corpus" | wc -l) kept, no finding"
