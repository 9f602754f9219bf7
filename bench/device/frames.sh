#!/usr/bin/env bash
# On a machine with a GPU: runs `frameloop` at a headset's resolution and rate, natively and on a
# node, as whole pixels, NV12 and JPEG, and compares the checksums. Then runs `outhaul bench frames
# --tenants`: more and more programs that draw at a fixed rate on one node. Builds nothing: pack.sh
# made the folder on another machine.
#
#   frames.sh [FOLDER [OPTION...]]      FOLDER is target/device by default; OPTIONs are those of
#                                       `outhaul bench frames`
#   frames.sh FOLDER promised           measures the GPU's curves over 10 and 25 Gb/s, gives them to
#                                       a pool, and runs programs with a promised rate behind 25
#                                       Gb/s: what was promised beside what was kept
#
# Takes about two minutes. GPU=soft runs the script on the software GPU of `make build`, with the
# program of `tests/e2e/build.sh examples/frameloop` (FOLDER is target then). Writes results to
# frameloop-*.csv, frames.json, frames.csv and frames-plots.tar.gz in $OUT, or in FOLDER.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
. bench/device/folder.sh
shift || true

if [ "$gpu" = soft ]; then
  frameloop=$folder/e2e/examples/frameloop
  native=("$outhaul" run --gpu soft --)
  picture=(--size 240x136 --objects 40 --rate 30 --frames 60)
else
  frameloop=$folder/examples/frameloop
  native=()
  picture=(--objects 1000 --rate 90 --frames 450)
fi
chmod +x "$frameloop"

# promised: one and two programs with the same promise, and one that no GPU can keep.
promised() {
  local work rate=90 ms=3 pids=() id
  # The software GPU draws small pictures; its curves end at about a millisecond.
  [ "$gpu" != soft ] || { rate=30 ms=0.5 picture+=(--frames 180); }
  work=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "kill \$(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf '$work'" EXIT
  "$outhaul" bench frames --gpu "$gpu" --runs 3 --link 25g,10g --curves "$into/curves.csv"
  echo "The curves:"
  cat "$into/curves.csv"
  export OUTHAUL_POOL=http://127.0.0.1:7695 OUTHAUL_TRANSPORT=tcp
  "$outhaul" pool serve --listen 127.0.0.1:7695 --store "$work/pool.sqlite" \
    --model "csv:$into/curves.csv" >"$work/pool.log" 2>&1 &
  for _ in $(seq 100); do "$outhaul" health >/dev/null 2>&1 && break; sleep 0.1; done
  "$outhaul" bench relay --to 127.0.0.1:7696 --link 25g --listen 127.0.0.1:7697 >/dev/null 2>&1 &
  "$outhaul" serve --listen 127.0.0.1:7696 --advertise 127.0.0.1:7697 --link-gbps 25 \
    --gpu "$gpu" --pool "$OUTHAUL_POOL" --name here --cache "$work/cache" >"$work/node.log" 2>&1 &
  for _ in $(seq 600); do grep -q "in the pool" "$work/node.log" && break; sleep 0.1; done
  grep -q "in the pool" "$work/node.log" || { cat "$work/node.log" >&2; return 1; }
  for count in 1 2; do
    echo "$count with --frames $rate --frame-ms $ms behind 25 Gb/s; what the programs saw:"
    for id in $(seq "$count"); do
      "$outhaul" run --frames "$rate" --frame-ms "$ms" --memory 25% -- \
        "$frameloop" "${picture[@]}" >"$into/frameloop-promised-$count-$id.csv" &
      pids+=($!)
    done
    sleep 3
    "$outhaul" top --pool "$OUTHAUL_POOL" --once | sed -n '/^LEASE/,$p'
    wait "${pids[@]}"
    pids=()
  done
  echo "One that cannot be kept:"
  "$outhaul" run --frames 1000 --frame-ms "$ms" --memory 25% -- true || true
  sleep 3
  "$outhaul" energy --json >"$into/promised.json"
  echo "What the node saw of each lease (the first frame includes the start of the driver):"
  python3 -c 'import json, sys
for lease in json.load(sys.stdin)["leases"]:
    for item in lease["items"]:
        print(lease["id"], item.get("frames"))' <"$into/promised.json"
}
if [ "${1:-}" = promised ]; then
  promised
  exit
fi

start_node --gpu "$gpu"

# both NAME OPTION...: draws the same frames natively and on the node, and compares them.
both() {
  local name=$1 here=$into/frameloop-$1-native.csv there=$into/frameloop-$1-remote.csv
  shift
  echo "$name, natively:"
  "${native[@]}" "$frameloop" "${picture[@]}" "$@" >"$here"
  echo "$name, remotely:"
  "$outhaul" run --node "$node" -- "$frameloop" "${picture[@]}" "$@" >"$there"
  diff <(cut -d, -f7 "$here") <(cut -d, -f7 "$there") \
    || { echo "frames.sh: pictures differ" >&2; return 1; }
}
both rgba
both nv12 --nv12
both jpeg --jpeg 85

[ $# -gt 0 ] || set -- --tenants 1,2,3,4,5
"$outhaul" bench frames --gpu "$gpu" --json "$into/frames.json" --csv "$into/frames.csv" \
  --plots "$into/frames-plots" "$@"
# One file, because a borrowed machine returns only a limited number.
tar -czf "$into/frames-plots.tar.gz" -C "$into" frames-plots
