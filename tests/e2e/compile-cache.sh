#!/usr/bin/env bash
# What a program compiles while it runs is kept for the next process: runs the NVRTC program on the
# software GPU with a cache of its own, twice, once more with the cache damaged, and once with it
# switched off.
set -euo pipefail

cd "$(dirname "$0")/../.."
program=$(ls target/e2e/*/nvrtc_compile | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
expect() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
    echo "ok       $1"
  else
    failed=$((failed + 1))
    echo "FAILED   $1: found $2, expected $3"
  fi
}
run() {
  env "LD_LIBRARY_PATH=$PWD/target/lib/soft" "CUDA_CACHE_PATH=$work/$1" "${@:2}" "$program" \
    >"$work/said" 2>&1 && echo ran || cat "$work/said"
}
entries() { find "$work/$1" -type f ! -name 'incoming-*' -printf '%f %s\n' | sort; }

expect "a program that compiles" "$(run kept)" ran
first=$(entries kept)
expect "its results are kept" "$([ -n "$first" ] && echo kept)" kept
expect "the same again" "$(run kept)" ran
expect "nothing new is kept" "$(entries kept)" "$first"
for entry in "$work"/kept/compiled/*; do echo damaged >"$entry"; done
expect "with a damaged cache" "$(run kept)" ran
expect "the damage is repaired" "$(entries kept)" "$first"
expect "without a cache" "$(run none CUDA_CACHE_DISABLE=1)" ran
expect "nothing is kept then" "$(ls "$work" | grep -c none || true)" 0
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
