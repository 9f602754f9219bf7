# Sourced with $PWD the repository: makes target/python/venv with what the package's tests and
# example need, fetched as wheels, and the package itself, installed by pip as a user would. Sets
# $folder and $venv, and what CuPy must know of the software GPU.

export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
cuda=$PWD/target/cuda
folder=$PWD/target/python
die() { echo "python/venv.sh: $*" >&2; exit 1; }
tests/toolchain/fetch.sh
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
# Not again for what is installed already: each build of a wheel compiles anew.
inputs=$(git ls-files -s python crates/dag Cargo.lock 2>/dev/null; git diff HEAD -- python crates/dag Cargo.lock 2>/dev/null; echo "${PROFILE:-release}")
if [ "$(cat "$venv/inputs" 2>/dev/null)" != "$inputs" ]; then
  # In a folder of its own: it compiles in another environment, and would have the workspace compiled anew each time.
  PATH=$venv/bin:$PATH CARGO_TARGET_DIR=$folder/build MATURIN_PEP517_ARGS="--profile ${PROFILE:-release}" install --no-deps --no-build-isolation --force-reinstall ./python
  echo "$inputs" >"$venv/inputs"
fi
exec 9>&-

# NVRTC and NVVM are the toolkit's. The software GPU runs PTX, and CuPy's sorts and scans hold it
# for compute capability 12.0 only.
export CUDA_HOME=$cuda/toolkit CUDA_PATH=$cuda/toolkit LD_LIBRARY_PATH=$cuda/toolkit/lib
export CUPY_COMPILE_WITH_PTX=1 CUPY_CACHE_DIR=$folder/kernels OUTHAUL_SOFT_CC=12.0
