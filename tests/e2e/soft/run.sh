#!/usr/bin/env bash
# Checks the software GPU's checker: OUTHAUL_SOFT_CHECK must find faults and report none in correct
# programs. Also checks the time limit of kernels, kept compiled code, and errors for refused code.
set -euo pipefail

cd "$(dirname "$0")/../../.."
. tests/e2e/cases.sh
tests/toolchain/fetch.sh
program=target/e2e/soft/faulty
mkdir -p "$(dirname "$program")"
for name in faulty refused; do
  if [ ! "target/e2e/soft/$name" -nt "tests/e2e/soft/$name.cu" ]; then
    target/cuda/toolkit/bin/nvcc -O2 -gencode arch=compute_75,code=compute_75 \
      -o "target/e2e/soft/$name" "tests/e2e/soft/$name.cu"
  fi
done
export LD_LIBRARY_PATH=$built/outhaul-soft

# says LINES PATTERN... -- COMMAND...: checks that the command prints so many lines, and one for
# each pattern. Otherwise prints the whole output.
says() {
  local lines=$1 patterns=() output pattern status=0
  shift
  while [ "$1" != -- ]; do patterns+=("$1"); shift; done
  output=$(timeout 120 "${@:2}" 2>&1) || status=$?
  # Any exit code is right, unless a signal or the time limit ended the command.
  [ "$status" -lt 124 ] || { echo "$output"; echo "exit status $status"; return 1; }
  [ "$(wc -l <<<"$output")" -eq "$lines" ] || {
    echo "$output"
    echo "not $lines lines, but: $(tail -n 1 <<<"$output")"
    return 1
  }
  for pattern in "${patterns[@]}"; do
    grep -qE -- "$pattern" <<<"$output" || {
      echo "$output"
      echo "no '$pattern', but: $(tail -n 1 <<<"$output")"
      return 1
    }
  done
}

# finds FAULT LINES PATTERN...: checks the output of the program with that fault.
finds() { expect "$1" says "${@:2}" -- "$program" "$1"; }

export OUTHAUL_SOFT_CHECK=1
place='in kernel \S+, block \(0,0,0\), thread \([0-9]+,0,0\), line [0-9]+ of its PTX'
finds fine 1 cudaSuccess
finds beyond 3 '0 bytes behind 0x[0-9a-f]+, 400 bytes of device memory' \
  'block \(1,0,0\), thread \(36,0,0\).*write of 4 bytes' cudaErrorIllegalAddress
finds beyond_shared 3 'outside of shared memory: offset 256 of 256 bytes' 'thread \(63,0,0\)' \
  cudaErrorIllegalAddress
finds race 5 'race in shared memory with thread \([0-9]+,0,0\)' "$place" cudaSuccess
finds unwritten 3 'read of memory that was never written' "$place" cudaSuccess
finds unwritten_shared 3 'read of shared memory that was never written' 'thread \(63,0,0\)' \
  cudaSuccess
finds misaligned 3 'misaligned address' cudaErrorMisalignedAddress
# Correct programs get no report.
for other in clusters cooperative_grid matrix_product reduce_shuffle scan sort_bitonic sort_thrust \
  stream_ordered tensor_cores; do
  OUTHAUL_SOFT_CC=9.0 run_case "$other, checked" "target/e2e/13.0-static/$other"
done
unset OUTHAUL_SOFT_CHECK
OUTHAUL_SOFT_LIMIT_S=0.2 finds endless 1 cudaErrorLaunchTimeout

# The software GPU keeps compiled kernels for the next process, and compiles them again if the kept
# code is damaged.
CUDA_CACHE_PATH=$(mktemp -d)
export CUDA_CACHE_PATH
kept() { find "$CUDA_CACHE_PATH/compiled" -type f | wc -l; }
is_kept() { echo "$first entries, then $(kept)"; [ "$first" -gt 0 ] && [ "$(kept)" -eq "$first" ]; }
expect "code that is compiled" says 1 cudaSuccess -- "$program" fine
first=$(kept)
expect "code that was kept" says 1 cudaSuccess -- "$program" fine
expect "nothing new is kept" is_kept
for entry in "$CUDA_CACHE_PATH"/compiled/*; do printf 'x' >>"$entry"; done
expect "kept code that is damaged" says 1 cudaSuccess -- "$program" fine
expect "the damage is repaired" is_kept

# The software GPU names refused code once, in the process and on a node, even if the program
# handles the error.
unset LD_LIBRARY_PATH
torch=$(mktemp -d)
g++ -shared -o "$torch/libtorch_cuda.so" -x c++ /dev/null
start_node --gpu soft
refuses='^outhaul: the software GPU refuses code of this program: '
unsupported='unsupported PTX: line [0-9]+: vadd.s32.s32.s32 is not supported$'
for way in "--gpu soft" "--node $node"; do
  # shellcheck disable=SC2086
  expect "refused code, ${way% *}" says 1 \
    "${refuses}no PTX for compute capability 12.0, but sm_75; .*CUPY_COMPILE_WITH_PTX" \
    -- sh -c '"$@" 2>&1 >/dev/null' sh "$outhaul" run $way -- target/e2e/13.0-static/no_binary
  # shellcheck disable=SC2086
  expect "refused kernel, ${way% *}" says 1 \
    "${refuses}kernel _Z7refusedPi: $unsupported" \
    -- sh -c '"$@" 2>&1 >/dev/null' sh "$outhaul" run $way -- target/e2e/soft/refused
  # A program that has loaded PyTorch learns what to do before its first kernel fails.
  # shellcheck disable=SC2086
  expect "PyTorch, ${way% *}" says 1 \
    "^outhaul: PyTorch's kernels are machine code for NVIDIA's GPUs.*outhaul run --node" \
    -- sh -c '"$@" 2>&1 >/dev/null' sh \
    "$outhaul" run $way -- env LD_PRELOAD="$torch/libtorch_cuda.so" "$program" fine
done
# The client forwards machine code that fits the device, so the node has to say why it refuses it.
export OUTHAUL_SOFT_CC=7.5
start_node --gpu soft
expect "refused code that fits the device" says 1 \
  "${refuses}no PTX for compute capability 7.5, but sm_75; .*CUPY_COMPILE_WITH_PTX" \
  -- sh -c '"$@" 2>&1 >/dev/null' sh \
  "$outhaul" run --node "$node" -- target/e2e/13.0-static/no_binary
finish_cases
