#!/usr/bin/env bash
# Fetches the CUDA compiler and the CUDA runtimes that the tests are built with, as Python wheels,
# into target/cuda.
#
#   target/cuda/toolkit/          nvcc 13.0, its headers and libraries (bin, include, lib, nvvm)
#   target/cuda/runtime/VERSION/  one libcudart and its headers per version (include, lib)
#   target/cuda/python/           NVIDIA's Python package over NVML
#
# Nothing here is committed: the wheels carry NVIDIA's own licence. Run again, it does only what is
# missing.
set -euo pipefail

cd "$(dirname "$0")/../.."
cuda=$PWD/target/cuda

toolkit_wheels=(
  nvidia-cuda-nvcc==13.0.88
  nvidia-nvvm==13.0.88
  nvidia-cuda-crt==13.0.88
  nvidia-cuda-runtime==13.0.96
  nvidia-cuda-cccl==13.0.85
  nvidia-cuda-nvrtc==13.0.88
)
runtimes_cu12=(12.0.146 12.1.105 12.4.127 12.6.77 12.8.90 12.9.79)
runtimes_cu13=(13.0.96 13.1.80 13.2.86 13.3.29 13.4.92 13.5.37)

nvml_wheel=nvidia-ml-py==13.580.82

die() { echo "fetch.sh: $*" >&2; exit 1; }

# What is fetched depends on this script alone, so its text is the stamp.
stamp=$cuda/stamp
if [ -f "$stamp" ] && cmp -s "$stamp" tests/toolchain/fetch.sh; then
  exit 0
fi

[ "$(uname -sm)" = "Linux x86_64" ] \
  || die "the tests' CUDA compiler is fetched for Linux on x86-64 only; this is $(uname -sm)"
command -v python3 >/dev/null \
  || die "python3 is missing: install it (Debian: apt-get install python3 python3-venv)"
command -v g++ >/dev/null || die "g++ is missing: install it (Debian: apt-get install g++)"

# Two runs at once must not write over one another.
mkdir -p "$cuda/wheels"
exec 9>"$cuda/lock"
flock 9
if [ -f "$stamp" ] && cmp -s "$stamp" tests/toolchain/fetch.sh; then
  exit 0
fi

. tests/toolchain/wheels.sh

if [ "$(cat "$cuda/toolkit/wheels.txt" 2>/dev/null)" != "${toolkit_wheels[*]}" ]; then
  for wheel in "${toolkit_wheels[@]}"; do download "$wheel"; done
  rm -rf "$cuda/toolkit.part"
  for wheel in "${toolkit_wheels[@]}"; do
    echo "unpacking $wheel"
    unpack "$wheel" "$cuda/toolkit.part"
  done
  # The linker looks for names without a version, which wheels leave out; nvcc's profile looks in
  # lib64.
  home=$cuda/toolkit.part/nvidia/cu13
  for library in "$home"/lib/lib*.so.*; do
    name=$(basename "$library")
    ln -sfn "$name" "$home/lib/${name%%.so.*}.so"
  done
  ln -sfn lib "$home/lib64"
  echo "${toolkit_wheels[*]}" >"$home/wheels.txt"
  rm -rf "$cuda/toolkit"
  mv "$home" "$cuda/toolkit"
  rm -rf "$cuda/toolkit.part"
fi

# runtime PACKAGE VERSION FOLDER-IN-WHEEL
runtime() {
  local into=$cuda/runtime/$2
  [ -d "$into" ] && return
  download "$1==$2"
  echo "unpacking $1==$2"
  rm -rf "$into.part"
  unpack "$1==$2" "$into.part"
  for library in "$into.part/nvidia/$3"/lib/libcudart.so.*; do
    [ -e "$library" ] && ln -sfn "$(basename "$library")" "$into.part/nvidia/$3/lib/libcudart.so"
  done
  mv "$into.part/nvidia/$3" "$into"
  rm -rf "$into.part"
}

mkdir -p "$cuda/runtime"
for version in "${runtimes_cu12[@]}"; do runtime nvidia-cuda-runtime-cu12 "$version" cuda_runtime; done
for version in "${runtimes_cu13[@]}"; do runtime nvidia-cuda-runtime "$version" cu13; done

if [ ! -d "$cuda/python" ]; then
  download "$nvml_wheel"
  unpack "$nvml_wheel" "$cuda/python.part"
  mv "$cuda/python.part" "$cuda/python"
fi

"$cuda/toolkit/bin/nvcc" --version >/dev/null \
  || die "the unpacked nvcc does not run: remove $cuda and run this again"
cp tests/toolchain/fetch.sh "$stamp"
echo "CUDA toolkit and runtimes are in target/cuda"
