#!/usr/bin/env bash
# Fuzzes opening and reading of stores, encrypted messages and references: fuzz.sh SECONDS
#
# Begins with what the writers make, goes on with what earlier runs have kept in .build/fuzz-corpus. An input that traps, hangs for a
# second, takes 512 MiB or gives a wrong byte ends it: it is left in .build/fuzz-findings; its place, once mended, is
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
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no
"$fuzz" --seeds "$corpus"
"$fuzz" -max_total_time="$seconds" -timeout=1 -rss_limit_mb=512 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$findings/" "$corpus" Tests/Fuzz/regressions 2>&1 | tee .build/fuzz.log | grep -E 'NEW_FUNC|ERROR|SUMMARY|DONE|stat::' || true
if grep -qE 'ERROR|SUMMARY' .build/fuzz.log; then
    echo "fuzz: a finding, in $findings" >&2
    exit 1
fi
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' .build/fuzz.log)
cover=$(grep -o 'cov: [0-9]*' .build/fuzz.log | tail -n 1)
echo "fuzz: $runs inputs in $seconds s, $cover edges, $(ls "$corpus" | wc -l) kept, no finding"
