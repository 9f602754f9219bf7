#!/usr/bin/env bash
# Measures kernels on the software GPU and the same loops in C at -O2, on the same cores. Prints
# times and ratios.
#
#   run.sh [CASE]     CASE is part of a case's name
set -euo pipefail

cd "$(dirname "$0")/../.."
tests/toolchain/fetch.sh
mkdir -p target/bench
target/cuda/toolkit/bin/nvcc -std=c++17 -O2 -Xcompiler -O2 \
  -gencode arch=compute_75,code=compute_75 -o target/bench/ratios bench/soft/ratios.cu
LD_LIBRARY_PATH=target/release/outhaul-soft target/bench/ratios "$@"
