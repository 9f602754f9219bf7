#!/usr/bin/env bash
# Runs programs for Linux on aarch64 in an emulator, with the client library for aarch64, on a node
# of this machine. Prints a line for each program.
#
#   aarch64.sh [FILTER]      FILTER is part of a VARIANT/PROGRAM name
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

filter=${1:-}
aarch64=$PWD/target/aarch64
why=$(tests/toolchain/aarch64.sh 2>&1 >/dev/null) || {
  [ $? -eq 3 ] || { echo "$why" >&2; exit 1; }
  echo "aarch64: skipped: $why"
  exit 0
}
[ -x "$outhaul" ] \
  || { echo "aarch64.sh: $outhaul is missing: run \`make build\` first" >&2; exit 1; }

tests/e2e/build.sh aarch64
PATH=$aarch64/bin:$PATH CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
  cargo build --quiet --profile "$profile" --package outhaul-client \
  --target aarch64-unknown-linux-gnu
mkdir -p "$aarch64/lib"
ln -sfn ../../aarch64-unknown-linux-gnu/$profile/libouthaul_client.so "$aarch64/lib/libcuda.so.1"

start_node --gpu soft
# The library path is only for the program: the emulator must not load that library.
emulator=("$aarch64/bin/qemu-aarch64-static" -L "$aarch64/sysroot"
  -E "LD_LIBRARY_PATH=$aarch64/lib" -E "OUTHAUL_NODE=$node")
export CUDA_CACHE_PATH=$PWD/target/e2e-compiled
for name in $(make --no-print-directory --no-builtin-rules \
  -f tests/e2e/programs.mk list-aarch64); do
  [[ $name == *"$filter"* ]] || continue
  run_case "$name" "${emulator[@]}" "target/e2e/$name"
done
finish_cases
