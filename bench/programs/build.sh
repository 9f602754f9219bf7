#!/usr/bin/env bash
# Builds the programs of this folder with nvcc into target/bench-programs, with PTX and code for
# sm_90.
set -euo pipefail

cd "$(dirname "$0")/../.."
tests/toolchain/fetch.sh
into=target/bench-programs
mkdir -p "$into"
nvcc=target/cuda/toolkit/bin/nvcc
for source in bench/programs/*.cu; do
  program=$into/$(basename "$source" .cu)
  [ "$program" -nt "$source" ] && [ "$program" -nt bench/programs/measure.h ] && continue
  echo "nvcc $source"
  "$nvcc" -std=c++17 -O2 \
    -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 \
    "$source" -o "$program" -L target/release/outhaul-soft -lcuda
  strip "$program"
done
