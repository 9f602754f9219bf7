#!/usr/bin/env bash
# Makes each .ptx of this folder, of the demonstration and of the worker's own kernels, from its
# .cu. The result is committed: whoever builds or runs Outhaul needs no CUDA compiler.
#
#   build.sh            writes
#   build.sh --check    fails where a .ptx is not what its .cu gives
set -euo pipefail

cd "$(dirname "$0")"
root=$(git rev-parse --show-toplevel)
"$root/tests/toolchain/fetch.sh"
tools=$root/target/cuda/toolkit/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for source in *.cu "$root"/crates/cli/src/commands/demo/*.cu \
  "$root"/crates/node/src/worker/managed/kernels/*.cu; do
  ptx=${source%.cu}.ptx
  "$tools/nvcc" -ptx -arch=compute_75 -O3 -o "$work/raw" "$source"
  # A version that every driver since CUDA 11 reads; ptxas says whether the code keeps to it.
  # Comments name the compiler and are left out. A node may have an older GPU than the benchmark is
  # for.
  [[ $source == */worker/* ]] && target='s/^\.target .*/.target sm_60/' || target=
  sed -E "s/^\.version .*/.version 7.0/; /^\/\//d; /^$/d; $target" "$work/raw" >"$work/ptx"
  "$tools/ptxas" -arch=sm_75 -o "$work/code" "$work/ptx"
  if [ "${1:-}" = --check ]; then
    cmp -s "$work/ptx" "$ptx" || { echo "build.sh: $ptx is stale: run $0" >&2; status=1; }
  else
    cp "$work/ptx" "$ptx"
  fi
done
exit $status
