#!/usr/bin/env bash
# On a machine with a GPU: runs one command remotely with OUTHAUL_LOG=1, and prints the messages of
# the library and of the node. The client runs where no /dev/nvidia* can be opened. Builds nothing:
# pack.sh made the folder on another machine.
#
#   trace.sh FOLDER COMMAND...
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "$1")
shift
outhaul=$folder/release/outhaul
chmod +x "$outhaul" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
"$outhaul" serve --listen 127.0.0.1:7701 --gpu auto --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
timeout 120 env OUTHAUL_LOG=1 bench/device/without-gpu.sh \
  "$outhaul" run --node 127.0.0.1:7701 -- "$@" 2>&1 \
  | grep -v 'cuGetProcAddress: ' | tail -n 40
echo "== the node's log"
tail -n 20 "$work/node"
