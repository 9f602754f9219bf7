#!/usr/bin/env bash
# Checks that NVIDIA's assembler accepts the files of this folder and kernels of fuzz.py. The
# software GPU alone might accept code that no GPU runs.
set -euo pipefail

cd "$(dirname "$0")/../.."
tests/toolchain/fetch.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for seed in $(seq 0 19); do python3 tests/ptx/fuzz.py - --show "$seed" >"$work/fuzz-$seed.ptx"; done
status=0
count=0
for file in tests/ptx/*.ptx "$work"/*.ptx; do
  target=$(sed -n "s/^\.target sm_\([0-9]*\)$/\1/p" "$file" | head -1)
  [ "${target:-0}" -gt 90 ] || target=90
  target/cuda/toolkit/bin/ptxas -arch=sm_$target "$file" -o "$work/out" >"$work/said" 2>&1 \
    || { cat "$work/said"; status=1; }
  count=$((count + 1))
done
echo "assemble.sh: $count files"
python3 tests/ptx/forms.py target/cuda/toolkit/bin/ptxas || status=1
exit $status
