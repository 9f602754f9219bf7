#!/usr/bin/env bash
# On a machine with a GPU: runs every file of tests/ptx natively, then random kernels, and compares
# their results with those of the software GPU, which pack.sh recorded. Builds nothing.
#
#   ptx.sh [FOLDER]      FOLDER is target/device by default
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "${1:-target/device}")
status=0
echo "== tests/ptx natively"
python3 tests/ptx/run.py libcuda.so.1 || status=1
echo "== random kernels, the software GPU's results against the GPU's"
python3 tests/ptx/fuzz.py libcuda.so.1 --check "$folder/fuzz.bin" || status=1
exit $status
