# Other scripts source this file at the top of the repository. It makes target/python/venv with the
# wheels that the package's tests and example need, and with the package itself, installed by pip as
# a user would. Sets $folder and $venv, and the variables that CuPy needs for the software GPU.

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
    || die "could not fetch the packages of python/tests/requirements.txt:" \
      "check that pip can reach its package index, then run this again"
  cp python/tests/requirements.txt "$venv/"
fi
# Builds the wheel only if its inputs changed, because each build compiles everything.
inputs=$(
  git ls-files -s python crates/dag Cargo.lock 2>/dev/null
  git diff HEAD -- python crates/dag Cargo.lock 2>/dev/null
  echo "${PROFILE:-release}"
)
if [ "$(cat "$venv/inputs" 2>/dev/null)" != "$inputs" ]; then
  # It has its own build folder: it compiles in another environment, which would make cargo compile
  # the workspace again each time.
  PATH=$venv/bin:$PATH CARGO_TARGET_DIR=$folder/build \
    MATURIN_PEP517_ARGS="--profile ${PROFILE:-release}" \
    install --no-deps --no-build-isolation --force-reinstall ./python
  echo "$inputs" >"$venv/inputs"
fi
exec 9>&-

# NVRTC and NVVM come from the toolkit. The software GPU runs PTX, which CuPy's sorts and scans have
# for compute capability 12.0 only.
export CUDA_HOME=$cuda/toolkit CUDA_PATH=$cuda/toolkit LD_LIBRARY_PATH=$cuda/toolkit/lib
export CUPY_COMPILE_WITH_PTX=1 CUPY_CACHE_DIR=$folder/kernels OUTHAUL_SOFT_CC=12.0
