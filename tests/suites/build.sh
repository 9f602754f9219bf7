#!/usr/bin/env bash
# Builds all that the tests run, with one selection of packages, so that cargo compiles nothing
# twice. Meanwhile it fetches the tools that other tests build with.
set -euo pipefail

cd "$(dirname "$0")/../.."
log=$(mktemp)
tests/toolchain/fetch.sh >"$log" 2>&1 &
fetching=$!
make --no-print-directory build-tests
wait "$fetching" || { cat "$log"; exit 1; }
