#!/usr/bin/env bash
# On a machine with a GPU: runs the steps of each stack natively and over each link, prints one
# table, and compares which steps pass. The clients run where no /dev/nvidia* can be opened. Builds
# nothing: pack.sh made the folder on another machine. Writes the steps' stderr to $OUT, or to
# FOLDER.
#
#   stacks.sh FOLDER STACK...
#     STACK: torch, breadth, curves, jax, cupy, triton, numba, nvml; devices on two GPUs
#     LINKS='memory loopback 10g rtt:30ms'   links, as in `outhaul bench --link`
#     REPEAT=1    runs of each stack; the table shows the last. A second run need not compile at run
#                 time.
#     TOGETHER=1  runs all links at once: faster, but the times mean nothing
#     LIMIT_S=200 time limit of one run, in seconds
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
. bench/device/tools.sh
shift
chmod +x bench/device/without-gpu.sh
read -ra links <<<"${LINKS:-memory loopback 10g rtt:30ms}"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export PYTHONPATH=$PWD/bench/device/stacks OUTHAUL_LOG=${OUTHAUL_LOG:-0}

hide=()
[ "$gpu" = soft ] || hide=(--client-under "$PWD/bench/device/without-gpu.sh")

# steps STACK PREFIX...: runs the stack's steps, with PREFIX in front of their command.
steps() {
  local stack=$1
  shift
  for _ in $(seq "${REPEAT:-1}"); do
    "$@" timeout "${LIMIT_S:-200}" python3 -P "bench/device/stacks/${stack}_steps.py" \
      || echo "ended with $?"
  done
}

# run STACK WAY: runs the stack natively, or over a link.
run() {
  local out=$work/$1.$2 err=$into/stacks-$1-${2/:/-}.err
  if [ "$2" = native ]; then
    steps "$1" env
  else
    steps "$1" env PLACEHOLDER=/dev/nvidiactl "$outhaul" bench over --gpu "$gpu" --link "$2" \
      "${hide[@]}" --
  fi >"$out" 2>"$err"
}

for stack in "$@"; do
  for way in native "${links[@]}"; do
    if [ -n "${TOGETHER:-}" ]; then run "$stack" "$way" & else run "$stack" "$way"; fi
  done
  wait
  python3 bench/device/stacks/table.py "$stack" "$work/$stack".native "${links[@]/#/$work/$stack.}"
done
