#!/usr/bin/env bash
# Collects the files that the scripts of this folder need on a machine with a GPU into
# target/device, in the layout of target. Binaries keep only the names of functions, which stacks
# show.
#
#   target/device/release/outhaul
#   target/device/release/libouthaul_client.so
#   target/device/release/outhaul-client/   the same library, as libcuda.so.1 and libnvidia-ml.so.1
#   target/device/outhaul-*.whl             the Python package
#   target/device/fuzz.bin                  results of random kernels on the software GPU, for
#                                           ptx.sh
#   target/device/programs/*                the end-to-end programs, with PTX, sm_90 code and a
#                                           static cudart 13.0
#   target/device/bench-programs/*          the programs of bench/programs, for programs.sh
#   target/device/examples/*                the examples that are CUDA programs of one file, built
#                                           in the same way
set -euo pipefail

cd "$(dirname "$0")/../.."
make build
cargo build --release --package outhaul-conformance --package outhaul-random-programs
tests/e2e/build.sh device
bench/programs/build.sh

into=target/device
rm -rf "$into"
mkdir -p "$into"/release/outhaul-client "$into"/programs "$into"/examples "$into"/bench-programs
strip -g -o "$into"/release/outhaul target/release/outhaul
strip -g -o "$into"/release/libouthaul_client.so target/release/libouthaul_client.so
strip -g -o "$into"/release/conformance target/release/conformance
strip -g -o "$into"/release/random-programs target/release/random-programs
cp tests/random-programs/left-out.sh "$into"/random-left-out.sh
ln "$into"/release/libouthaul_client.so "$into"/release/outhaul-client/libcuda.so.1
ln -s libcuda.so.1 "$into"/release/outhaul-client/libcuda.so
ln "$into"/release/libouthaul_client.so "$into"/release/outhaul-client/libnvidia-ml.so.1
cp target/e2e/device/* "$into"/programs/
cp target/e2e/device-examples/* "$into"/examples/
cp target/bench-programs/* "$into"/bench-programs/
python3 -m pip wheel --quiet --no-deps --wheel-dir "$into" ./python
OUTHAUL_SOFT_CC=9.0 python3 tests/ptx/fuzz.py target/release/outhaul-soft/libcuda.so.1 \
  --seeds 0:400 --write "$into"/fuzz.bin
bench/device/packages.sh \
  || echo "pack.sh: no packages for links.sh; it will use the tools of the machine" >&2
du -sh "$into"
