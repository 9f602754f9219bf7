#!/usr/bin/env bash
# Builds the end-to-end programs into target/e2e: all that the tests need, or the named targets.
#
#   build.sh                             the whole matrix
#   build.sh device                      stripped programs for a machine with a GPU
#   build.sh 13.0-static/vector_add …    single programs
set -euo pipefail

cd "$(dirname "$0")/../.."
tests/toolchain/fetch.sh

targets=()
for target in "$@"; do
  case $target in
    */*) targets+=("target/e2e/$target") ;;
    *) targets+=("$target") ;;
  esac
done
start=$SECONDS
mkdir -p target/e2e
exec 9>target/e2e/lock
flock 9
make --no-print-directory --no-builtin-rules -f tests/e2e/programs.mk -j"${JOBS:-$(nproc)}" \
  "${targets[@]:-all}"
echo "programs are in target/e2e ($((SECONDS - start)) s)"
