#!/usr/bin/env bash
# Checks that the library keeps code that a program compiles at run time for the next process. Runs
# the NVRTC program on the software GPU with a new cache, again, with a damaged cache, and without a
# cache.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
program=$(ls target/e2e/*/nvrtc_compile | head -n 1)
work=$(mktemp -d)
equals() { [ "$1" = "$2" ] || { echo "found $1, expected $2"; return 1; }; }
run() {
  env "LD_LIBRARY_PATH=$built/outhaul-soft" "CUDA_CACHE_PATH=$work/$1" "${@:2}" "$program" \
    >"$work/said" 2>&1 && echo ran || cat "$work/said"
}
entries() { find "$work/$1" -type f ! -name 'incoming-*' -printf '%f %s\n' | sort; }

expect "a program that compiles" equals "$(run kept)" ran
first=$(entries kept)
expect "its results are kept" equals "$([ -n "$first" ] && echo kept)" kept
expect "the same again" equals "$(run kept)" ran
expect "nothing new is kept" equals "$(entries kept)" "$first"
for entry in "$work"/kept/compiled/*; do echo damaged >"$entry"; done
expect "with a damaged cache" equals "$(run kept)" ran
expect "the damage is repaired" equals "$(entries kept)" "$first"
expect "without a cache" equals "$(run none CUDA_CACHE_DISABLE=1)" ran
expect "nothing is kept then" equals "$(ls "$work" | grep -c none || true)" 0
finish_cases
