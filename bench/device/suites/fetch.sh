#!/usr/bin/env bash
# Fetches test suites of other projects into target/suites, for ../suites.sh. They are small enough
# to carry to a machine with a GPU. None of their files are committed.
#
#   target/suites/torch/    PyTorch 2.6's tests of its CUDA part, from Debian's source package, and
#                           a package that they import
#   target/suites/cupy/     CuPy's tests, from its source distribution
#   target/suites/nccl/     NCCL's performance tests, which also check the data that they move,
#                           built for sm_90, with ranks/mpi.h in place of MPI
#   target/suites/numba/    packages that Numba's tests import; the tests are in its wheel, which
#                           the machine has
#
# The packages are for Python 3.12. A second run fetches only what is missing.
#
#   fetch.sh [PART...]     torch, cupy, numba, nccl; all by default
#     NCCL_TESTS=URL       the repository of NCCL's tests, or a clone of it
#     NCCL=2.28.9          version of NCCL whose headers they use: that of PyTorch on the machine
set -euo pipefail

cd "$(dirname "$0")/../../.."
suites=$PWD/target/suites
cuda=$PWD/target/cuda
torch=2.6.0 debian=trixie
cupy=14.2.0
nccl=${NCCL:-2.28.9}
die() { echo "fetch.sh: $*" >&2; exit 1; }
tests/toolchain/fetch.sh
. tests/toolchain/wheels.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$suites"

# packages FOLDER NAME==VERSION...: unpacks the packages into the folder.
packages() {
  "$python" -m pip install --quiet --no-deps --only-binary=:all: --python-version 3.12 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --target "$1" "${@:2}"
}

# This function uses its own lists of packages: this machine's are of another release of Debian.
fetch_torch() {
  local archive
  archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    | grep 'debian/$' | head -n 1)
  [ -n "$archive" ] \
    || die "apt-get knows no archive of Debian: PyTorch's tests come from its source package"
  local options=(-qq -o Dir::Etc::SourceList="$work/sources" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
    -o APT::Sandbox::User="$(id -un)")
  mkdir -p "$work"/lists/partial "$work"/cache/archives/partial
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $debian main" \
    >"$work/sources"
  apt-get "${options[@]}" update
  (cd "$work" && apt-get "${options[@]}" --download-only --tar-only source pytorch)
  tar -xf "$work/pytorch_$torch"*.orig.tar.xz -C "$work"
  mkdir -p "$1"
  cp "$work/pytorch-v$torch"/test/test_{cuda,cuda_multigpu,cuda_primary_ctx,cuda_trace,torch}.py \
    "$work/pytorch-v$torch"/LICENSE "$1"
  printf '[pytest]\nfilterwarnings = ignore\n' >"$1/pytest.ini"
  packages "$1" expecttest==0.3.0
}

# With this variable CuPy's build does not search for CUDA's headers.
fetch_cupy() {
  CUPY_INSTALL_USE_STUB=1 "$python" -m pip download --quiet --no-deps --no-binary cupy \
    --dest "$work" "cupy==$cupy"
  tar -xf "$work/cupy-$cupy.tar.gz" -C "$work"
  mkdir -p "$1"
  cp -r "$work/cupy-$cupy"/{tests,pyproject.toml,LICENSE} "$1"
}

fetch_numba() { packages "$1" filecheck==1.0.6 cffi==2.1.1 pycparser==3.12; }

fetch_nccl() {
  git clone --quiet --depth 1 "${NCCL_TESTS:-https://github.com/NVIDIA/nccl-tests}" \
    "$work/nccl-tests"
  download "nvidia-nccl-cu13==$nccl"
  unpack "nvidia-nccl-cu13==$nccl" "$work/wheel"
  local home=$work/wheel/nvidia/nccl
  ln -s libnccl.so.2 "$home/lib/libnccl.so"
  mkdir -p "$work"/mpi/{include,lib}
  cp bench/device/suites/ranks/mpi.h "$work/mpi/include/"
  ar rcs "$work/mpi/lib/libmpi.a"
  make --quiet -C "$work/nccl-tests/src" build CUDA_HOME="$cuda/toolkit" NCCL_HOME="$home" \
    CUDARTLIB=cudart_static BUILDDIR="$work/build" MPI=1 MPI_HOME="$work/mpi" \
    NVCC_GENCODE=-gencode=arch=compute_90,code=sm_90 \
    BIN_FILES_LIST="all_reduce all_gather sendrecv"
  mkdir -p "$1"
  strip "$work"/build/*_perf
  cp "$work"/build/*_perf "$work/nccl-tests/LICENSE.txt" "$1"
}

[ $# -gt 0 ] || set -- torch cupy numba nccl
for part in "$@"; do
  [[ $part =~ ^(torch|cupy|numba|nccl)$ ]] \
    || die "there is no part $part: torch, cupy, numba or nccl"
  [ -d "$suites/$part" ] && continue
  rm -rf "$suites/$part.part"
  "fetch_$part" "$suites/$part.part"
  mv "$suites/$part.part" "$suites/$part"
done
du -sh "$suites"/*
