#!/usr/bin/env bash
# The tests of the Python package: builds and installs it by pip as a user would, then runs pytest on pretended GPUs, and through CuPy on the
# software GPU. What it needs is fetched as wheels into target/python.
#
#   run.sh [PYTEST ARGUMENTS]
set -euo pipefail
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1

cd "$(dirname "$0")/../.."
cuda=$PWD/target/cuda
folder=$PWD/target/python
die() { echo "python/tests/run.sh: $*" >&2; exit 1; }
. tests/toolchain/wheels.sh

python=$("$python" -c "import sys; print(sys.executable)")
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
venv=$folder/venv
install() { "$python" -m pip --python "$venv/bin/python" install --quiet "$@"; }
if ! cmp -s python/tests/requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv --without-pip "$venv"
  install --only-binary=:all: -r python/tests/requirements.txt \
    || die "could not fetch the packages of python/tests/requirements.txt: check that pip can reach its package index, then run this again"
  cp python/tests/requirements.txt "$venv/"
fi
PATH=$venv/bin:$PATH install --no-deps --no-build-isolation --force-reinstall ./python
flock -u 9

log=$folder/log
status=0
pytest=("$venv/bin/python" -P -m pytest -q -p no:cacheprovider)
# What CUB and cuBLAS bring as machine code the software GPU cannot run; CuPy's own kernels come as PTX.
export CUPY_COMPILE_WITH_PTX=1 CUPY_ACCELERATORS= CUPY_CACHE_DIR=$folder/kernels OUTHAUL_SOFT_DEVICES=2
"${pytest[@]}" python/tests --ignore python/tests/gpu "$@" 2>&1 | tee "$log" || status=1
target/release/outhaul run --gpu soft -- "${pytest[@]}" python/tests/gpu "$@" 2>&1 | tee -a "$log" || status=1
awk '/ in [0-9.]+s/ { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) passed += $(i - 1); if ($i ~ /^(failed|error)/) failed += $(i - 1) } }
  END { print passed + 0 " passed, " failed + 0 " failed" }' "$log"
exit "$status"
