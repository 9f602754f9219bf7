#!/usr/bin/env bash
# Builds what the tests run, all of it with one selection of packages, so that nothing is compiled twice; and fetches meanwhile what others build with.
set -euo pipefail

cd "$(dirname "$0")/../.."
log=$(mktemp)
tests/toolchain/fetch.sh >"$log" 2>&1 &
fetching=$!
make --no-print-directory build-tests
wait "$fetching" || { cat "$log"; exit 1; }
