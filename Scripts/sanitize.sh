#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer and AddressSanitizer, with a soak of each stack of providers: sanitize.sh SECONDS
#
# Left out are the suites that ask for gigabytes, count instructions or only start other processes, as these are built without.
set -euo pipefail
cd "$(dirname "$0")/.."

export QUIRE_SOAK=${1:-60}
scratch=.build/sanitize
mkdir -p "$scratch"
clang=$(dirname "$(command -v swift)")/clang
"$clang" -shared -fPIC -O2 -Wall -Wextra -Werror -o "$scratch/mutex.so" Tests/Sanitizers/mutex.c -ldl

without='SizeCases|CrashMatrixTests|PowerCutTests|KillTests|ProcessTests|PlaceTests|CorpusTests|FuzzTests|CLibraryTests|Tool'
sanitize() { # sanitize NAME PATTERN [VARIABLE=VALUE...]: builds with it, runs, fails at a finding
    local name=$1 pattern=$2 log=$scratch/$1.log
    shift 2
    swift build -c release --build-tests -Xswiftc -enable-testing -Xswiftc -use-ld=lld --sanitize="$name" \
        --scratch-path "$scratch/$name"
    local status=0
    env "$@" "$PWD/$scratch/$name"/release/*.xctest --testing-library swift-testing --skip "$without" >"$log" 2>&1 || status=$?
    grep -E '^soak: |^✘|↳ .*Expectation|Test run' "$log" || true
    local findings
    findings=$(grep -cE "$pattern" "$log" || true)
    echo "sanitize: $name: $findings findings"
    if [ "$status" -ne 0 ] || [ "$findings" -ne 0 ]; then
        echo "sanitize: see $log (status $status)" >&2
        exit 1
    fi
}

sanitize thread 'WARNING: ThreadSanitizer' LD_PRELOAD="$PWD/$scratch/mutex.so" \
    TSAN_OPTIONS="suppressions=$PWD/Tests/Sanitizers/tsan.supp history_size=7"
# Swift keeps metadata for ever, which would be leaks.
sanitize address 'ERROR: AddressSanitizer' ASAN_OPTIONS=detect_leaks=0
