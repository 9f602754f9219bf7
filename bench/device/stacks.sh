#!/usr/bin/env bash
# On a machine with a GPU: the steps of each stack natively and remotely, side by side. The remote client runs where no /dev/nvidia* can be
# opened. Both runs are made twice and the second is shown, so that what is compiled at run time is there. The node's whole log is left in $OUT,
# where that is set. Builds nothing: pack.sh made the folder elsewhere.
#
#   stacks.sh FOLDER STACK...      STACK: torch, breadth, curves, jax, cupy, triton, numba, nvml; devices on two GPUs
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "$1")
shift
outhaul=$folder/release/outhaul
chmod +x "$outhaul" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
"$outhaul" serve --listen 127.0.0.1:7700 --gpu auto --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done

# run STACK KIND COMMAND...: keeps what the second run printed.
run() {
  local stack=$1 kind=$2
  shift 2
  for _ in first second; do
    start=$EPOCHREALTIME
    timeout 200 "$@" python3 -P "bench/device/stacks/${stack}_steps.py" >"$work/$kind" 2>"$work/$kind.err" || true
    echo "$stack, $kind: $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) ms"
  done
}

export PYTHONPATH=$PWD/bench/device/stacks OUTHAUL_LOG=${OUTHAUL_LOG:-0}
for stack in "$@"; do
  run "$stack" native env
  run "$stack" remote env PLACEHOLDER=/dev/nvidiactl bench/device/without-gpu.sh "$outhaul" run --node 127.0.0.1:7700 --
  printf '%-30s | %-44s | %s\n' "$stack" native remote
  while IFS= read -r line; do
    step=${line:0:30}
    printf '%-30s | %-44s | %s\n' "$step" "${line:31:44}" "$(grep -F -m 1 -- "$step" "$work/remote" | cut -c 32-140 || true)"
  done <"$work/native"
  grep -E 'outhaul|Error|error' "$work/remote.err" | grep -v 'cuGetProcAddress: ' | sort | uniq -c | sort -rn | head -n "${LINES_MAX:-12}" || true
done
echo "== the node's log"
grep -v -E 'is worker|ended$' "$work/node" | tail -n 20
[ -z "${OUT:-}" ] || cp "$work/node" "$OUT/stacks-node.log"
