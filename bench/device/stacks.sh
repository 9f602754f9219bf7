#!/usr/bin/env bash
# On a machine with a GPU: the steps of each stack natively and over each link, in one table, and
# whether the same steps pass. The clients run where no /dev/nvidia* can be opened. Builds nothing:
# pack.sh made the folder elsewhere. What the steps wrote on stderr is left in $OUT, or in FOLDER.
#
#   stacks.sh FOLDER STACK...
#     STACK: torch, breadth, curves, jax, cupy, triton, numba, nvml; devices on two GPUs
#     LINKS='memory loopback 10g rtt:30ms'   as in `outhaul bench --link`
#     REPEAT=1    runs of each; the last is shown. What is compiled at run time is there at the
#                 second.
#     TOGETHER=1  all links at once: sooner, and the times say nothing
#     LIMIT_S=200 the time limit of one run
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

# steps STACK PREFIX...: the stack's steps, under the prefix.
steps() {
  local stack=$1
  shift
  for _ in $(seq "${REPEAT:-1}"); do
    "$@" timeout "${LIMIT_S:-200}" python3 -P "bench/device/stacks/${stack}_steps.py" \
      || echo "ended with $?"
  done
}

# run STACK WAY: native, or a link.
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
