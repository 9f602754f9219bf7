#!/usr/bin/env bash
# On a machine with a GPU and PyTorch: the steps of torch_steps.py natively and remotely, side by side. The remote client runs where no
# /dev/nvidia* can be opened. Builds nothing: pack.sh made the folder elsewhere.
#
#   pytorch.sh [FOLDER]      FOLDER is target/device unless given
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "${1:-target/device}")
outhaul=$folder/release/outhaul
chmod +x "$outhaul" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

timeout 200 python3 -P bench/device/torch_steps.py >"$work/native" 2>"$work/native.err" || true
"$outhaul" serve --listen 127.0.0.1:7700 --gpu auto --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
for run in first second; do
  start=$(date +%s.%N)
  timeout 200 env OUTHAUL_STATS="${OUTHAUL_STATS:-0}" bench/device/without-gpu.sh "$outhaul" run --node 127.0.0.1:7700 -- \
    python3 -P bench/device/torch_steps.py >"$work/remote-$run" 2>"$work/remote-$run.err" || true
  python3 -c "print(f\"remote, $run run: {$(date +%s.%N) - $start:.1f} s\")"
done

printf '%-30s | %-44s | %s\n' step native remote
while IFS= read -r line; do
  step=${line:0:30}
  printf '%-30s | %-44s | %s\n' "$step" "${line:31:44}" "$(grep -F -m 1 -- "$step" "$work/remote-second" | cut -c 32-120 || true)"
done <"$work/native"
echo "== what the remote run printed beside that"
tail -n 60 "$work/remote-second.err"
echo "== the node's log"
tail -n 20 "$work/node"
