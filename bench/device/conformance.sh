#!/usr/bin/env bash
# On a machine with a GPU: runs the conformance suite natively, then remotely on NVIDIA's driver,
# over TCP and shared memory. The clients run where no /dev/nvidia* can be opened. Builds nothing:
# pack.sh made the folder on another machine.
#
#   conformance.sh [FOLDER [FILTER]]      FOLDER is target/device by default; FILTER is part of a
#                                         test's name
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "${1:-target/device}")
outhaul=$folder/release/outhaul
chmod +x "$outhaul" "$folder/release/conformance" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

echo "== native"
# NVIDIA's driver lets a stream that never waits for the legacy stream overtake a small copy from
# pageable memory in it, ends the program in some wrong calls, and ends the context after a huge
# fill. Outhaul does not.
left_out=copy/there_when_it_returns_behind_a_kernel,wrong/random_calls
left_out+=,wrong/addresses_that_are_nowhere,wrong/values_in_fills
"$folder/release/conformance" --jobs 8 --without "$left_out" libcuda.so.1 "${@:2}" \
  | grep -v '^ok' || true
"$outhaul" serve --listen 127.0.0.1:7703 --gpu auto --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
for transport in tcp shared-memory; do
  echo "== remote over NVIDIA's driver, $transport"
  OUTHAUL_TRANSPORT=$transport timeout 300 bench/device/without-gpu.sh \
    "$outhaul" run --node 127.0.0.1:7703 -- \
    "$folder/release/conformance" --jobs 8 "$folder/release/outhaul-client/libcuda.so.1" "${@:2}" \
    | grep -v '^ok' || true
done
