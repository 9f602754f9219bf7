#!/usr/bin/env bash
# Runs CuPy, Numba and Triton on the software GPU, from their wheels. CuPy's sorts and scans have
# PTX for compute capability 12.0 only.
set -euo pipefail

cd "$(dirname "$0")/../../.."
. tests/built.sh
tests/toolchain/fetch.sh
venv=$PWD/target/cuda/venv-soft
packages=(cupy-cuda13x==14.2.0 numba==0.68.1 numba-cuda==0.30.4 triton==3.6.0)
if [ "$(cat "$venv/packages" 2>/dev/null)" != "${packages[*]}" ]; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --only-binary=:all: --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$venv/packages"
fi

toolkit=$PWD/target/cuda/toolkit
export CUDA_PATH=$toolkit CUDA_HOME=$toolkit LD_LIBRARY_PATH=$built/outhaul-soft:$toolkit/lib
export CUPY_COMPILE_WITH_PTX=1 CUPY_CACHE_DIR=$PWD/target/tmp/cupy OUTHAUL_SOFT_CC=12.0
status=0
"$venv/bin/python" tests/e2e/soft/cupy_steps.py || status=1
"$venv/bin/python" tests/e2e/soft/numba_steps.py || status=1
# Code that Triton compiles for 9.0 runs on no other capability.
OUTHAUL_SOFT_CC=9.0 "$venv/bin/python" tests/e2e/soft/triton_steps.py || status=1

# An array that two programs of a node share.
. tests/e2e/cases.sh
start_node --gpu soft
export LD_LIBRARY_PATH=$toolkit/lib
shared() {
  "$outhaul" run --node "$node" --tenant a -- "$venv/bin/python" examples/shared_memory.py 7 "$1"
}
shared 0.5 >/dev/null && sum=$(shared 0.25) && shared remove || status=1
echo "shared_memory.py: ${sum:-}"
[ "${sum:-}" = 786432.0 ] || status=1
exit $status
