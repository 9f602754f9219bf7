#!/usr/bin/env bash
# Gathers what e2e.sh needs on a machine with a GPU into target/device, stripped but for the names
# of functions, which stacks show, laid out as target is:
#
#   target/device/release/outhaul  target/device/release/libouthaul_client.so
#   target/device/release/outhaul-client/libcuda.so.1, target/device/release/outhaul-client/libnvidia-ml.so.1
#                                  the same library under both names
#   target/device/outhaul-*.whl    the Python package
#   target/device/fuzz.bin         what random kernels give on the software GPU, for ptx.sh
#   target/device/programs/*       the end-to-end programs, PTX and sm_90 code, cudart 13.0 inside
#   target/device/bench-programs/* the programs of bench/programs, for programs.sh
#   target/device/examples/*       those examples that are CUDA programs of one file, built in the
#                                  same way
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
OUTHAUL_SOFT_CC=9.0 python3 tests/ptx/fuzz.py target/release/outhaul-soft/libcuda.so.1 --seeds 0:400 \
  --write "$into"/fuzz.bin
bench/device/packages.sh \
  || echo "pack.sh: no packages for links.sh; it will do with what the machine has" >&2
du -sh "$into"
