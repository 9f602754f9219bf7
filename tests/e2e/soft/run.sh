#!/usr/bin/env bash
# The software GPU as a checker: what OUTHAUL_SOFT_CHECK finds, and what it leaves in peace; the
# time limit of kernels; compiled code that is kept.
set -euo pipefail

cd "$(dirname "$0")/../../.."
tests/toolchain/fetch.sh
program=target/e2e/soft/faulty
mkdir -p "$(dirname "$program")"
for name in faulty refused; do
  if [ ! "target/e2e/soft/$name" -nt "tests/e2e/soft/$name.cu" ]; then
    target/cuda/toolkit/bin/nvcc -O2 -gencode arch=compute_75,code=compute_75 \
      -o "target/e2e/soft/$name" "tests/e2e/soft/$name.cu"
  fi
done
export LD_LIBRARY_PATH=$PWD/target/lib/soft

failed=0
# expect FAULT LINES PATTERN...: the output for that fault has so many lines, and one for each
# pattern.
expect() {
  local fault=$1 lines=$2 output pattern verdict=ok
  shift 2
  output=$(timeout 20 "$program" "$fault" 2>&1) || true
  [ "$(wc -l <<<"$output")" -eq "$lines" ] || verdict=FAILED
  for pattern in "$@"; do
    grep -qE -- "$pattern" <<<"$output" || verdict=FAILED
  done
  echo "$verdict       $fault"
  [ "$verdict" = ok ] || { sed 's/^/         | /' <<<"$output"; failed=1; }
}

export OUTHAUL_SOFT_CHECK=1
place='in kernel \S+, block \(0,0,0\), thread \([0-9]+,0,0\), line [0-9]+ of its PTX'
expect fine 1 cudaSuccess
expect beyond 3 '0 bytes behind 0x[0-9a-f]+, 400 bytes of device memory' \
  'block \(1,0,0\), thread \(36,0,0\).*write of 4 bytes' cudaErrorIllegalAddress
expect beyond_shared 3 'outside of shared memory: offset 256 of 256 bytes' 'thread \(63,0,0\)' \
  cudaErrorIllegalAddress
expect race 5 'race in shared memory with thread \([0-9]+,0,0\)' "$place" cudaSuccess
expect unwritten 3 'read of memory that was never written' "$place" cudaSuccess
expect unwritten_shared 3 'read of shared memory that was never written' 'thread \(63,0,0\)' \
  cudaSuccess
expect misaligned 3 'misaligned address' cudaErrorMisalignedAddress
# Programs that are in order give no report.
for other in clusters cooperative_grid matrix_product reduce_shuffle scan sort_bitonic \
  sort_thrust stream_ordered tensor_cores; do
  output=$(OUTHAUL_SOFT_CC=9.0 timeout 60 "target/e2e/13.0-static/$other" 2>&1) \
    && [ "$(wc -l <<<"$output")" -eq 1 ] && verdict=ok || verdict=FAILED
  echo "$verdict       $other, checked"
  [ "$verdict" = ok ] || { sed 's/^/         | /' <<<"$output"; failed=1; }
done
unset OUTHAUL_SOFT_CHECK
OUTHAUL_SOFT_LIMIT_S=0.2 expect endless 1 cudaErrorLaunchTimeout

# Compiled kernels are kept for the next process, and made again when what was kept is damaged.
CUDA_CACHE_PATH=$(mktemp -d)
export CUDA_CACHE_PATH
trap 'rm -rf "$CUDA_CACHE_PATH"' EXIT
kept() { find "$CUDA_CACHE_PATH/compiled" -type f | wc -l; }
expect fine 1 cudaSuccess
first=$(kept)
expect fine 1 cudaSuccess
for entry in "$CUDA_CACHE_PATH"/compiled/*; do printf 'x' >>"$entry"; done
expect fine 1 cudaSuccess
if [ "$first" -eq 0 ] || [ "$(kept)" -ne "$first" ]; then
  echo "FAILED       kept code: $first entries, then $(kept)"
  failed=1
fi

# Code that is refused is named, once, in the process and on a node, although the program bears the
# error.
. tests/e2e/cases.sh
unset LD_LIBRARY_PATH
outhaul=$PWD/target/release/outhaul
start_node --gpu soft >/dev/null
trap 'kill "$node_pid"; rm -rf "$CUDA_CACHE_PATH"' EXIT
refusal='outhaul: the software GPU refuses code of this program:'
for way in "--gpu soft" "--node $node"; do
  # shellcheck disable=SC2086
  said=$("$outhaul" run $way -- target/e2e/13.0-static/no_binary 2>&1 >/dev/null)
  [[ $said == "$refusal no PTX for compute capability 12.0, but sm_75; "*CUPY_COMPILE_WITH_PTX* \
    && $said != *$'\n'* ]] \
    && verdict=ok || verdict=FAILED failed=1
  echo "$verdict       refused code, $way"
  [ "$verdict" = ok ] || echo "         | $said"
  # shellcheck disable=SC2086
  said=$("$outhaul" run $way -- target/e2e/soft/refused 2>&1 >/dev/null)
  reason='vadd.s32.s32.s32 is not supported'
  [[ $said =~ ^"$refusal kernel _Z7refusedPi: unsupported PTX: line "[0-9]+": $reason"$ ]] \
    && verdict=ok || verdict=FAILED failed=1
  echo "$verdict       refused kernel, $way"
  [ "$verdict" = ok ] || echo "         | $said"
done
exit $failed
