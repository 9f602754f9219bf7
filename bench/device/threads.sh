#!/usr/bin/env bash
# On a machine with a GPU: measures the CPU time of each thread of a program natively, and of the
# program and its worker over each transport. The client runs where no /dev/nvidia* can be opened.
# Builds nothing: pack.sh made the folder on another machine.
#
#   threads.sh FOLDER COMMAND...
#     LIMIT_S=60                       time limit of one run, in seconds
#     TRANSPORTS='tcp shared-memory'   transports
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift
chmod +x bench/device/without-gpu.sh
read -ra transports <<<"${TRANSPORTS:-tcp shared-memory}"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --cache "$work/cache" >"$work/node.log" 2>&1 &
serving=$!
for _ in $(seq 300); do grep -q ' on 127' "$work/node.log" && break; sleep 0.1; done
node=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$work/node.log" | head -n 1)
[ -n "$node" ] || { cat "$work/node.log"; echo "threads.sh: the node did not start" >&2; exit 1; }

# look WAY COMMAND...: runs the command and prints the CPU time of its threads.
look() {
  local way=$1 began=$EPOCHREALTIME
  shift
  timeout "${LIMIT_S:-60}" "$@" >"$work/out" 2>"$work/err" &
  local program=$!
  python3 bench/device/threads.py "$program" "$serving" >"$work/threads"
  wait "$program" || tail -n 3 "$work/err" >&2
  echo "== $way:" \
    "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s on the clock;" \
    "ms of CPU time: $(awk '{ sum += $NF } END { print sum }' "$work/threads")"
  head -n 14 "$work/threads" | paste -sd, | sed 's/,/, /g'
  tail -n 2 "$work/out"
}

case $gpu in soft) look native "$outhaul" run --gpu soft -- "$@" ;; *) look native "$@" ;; esac
for transport in "${transports[@]}"; do
  hide=(env OUTHAUL_TRANSPORT="$transport" PLACEHOLDER=/dev/nvidiactl)
  [ "$gpu" = soft ] || hide+=(bench/device/without-gpu.sh)
  look "$transport" "${hide[@]}" "$outhaul" run --node "$node" -- "$@"
done
