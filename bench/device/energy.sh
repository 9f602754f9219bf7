#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: two leases of one GPU compute, one after the other and both at once, and what the pool says that they drew is held against
# the board's own counter. Builds nothing: pack.sh made the folder elsewhere.
#
#   energy.sh [FOLDER [SECONDS]]      FOLDER is target/device unless given; each of the three phases lasts 20 seconds unless said
#
# GPU=soft tries the script out on the software GPU of `make build`, whose counter is made up (FOLDER is target then).
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
seconds=${2:-20}
scale=$([ "$gpu" = soft ] && echo small || echo full)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
export OUTHAUL_POOL=http://127.0.0.1:7693

"$outhaul" pool serve --listen 127.0.0.1:7693 --store "$work/pool.sqlite" >"$work/pool.log" 2>&1 &
for _ in $(seq 100); do "$outhaul" health >/dev/null 2>&1 && break; sleep 0.1; done
"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --pool "$OUTHAUL_POOL" --name here --cache "$work/cache" >"$work/node.log" 2>&1 &
for _ in $(seq 600); do grep -q "in the pool" "$work/node.log" && break; sleep 0.1; done
grep -q "in the pool" "$work/node.log" || { cat "$work/node.log" >&2; exit 1; }
board=$("$outhaul" node ls --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["gpus"][0]["uuid"])')

# The board's counter, in millijoules; the first line that the counters' process says.
counter() {
  { "$outhaul" energy-counters "$board" || true; } 2>/dev/null | head -n 1 |
    python3 -c 'import json, sys; line = sys.stdin.readline(); print(json.loads(line)[sys.argv[1]] if line else 0)' "$board"
}
counter >"$work/before"
[ "$gpu" = soft ] || [ "$(cat "$work/before")" != 0 ] || { echo "energy.sh: NVML has no counter for $board" >&2; exit 1; }

# load NAME: computes in a lease of half the GPU until time is over.
load() {
  timeout "$seconds" "$outhaul" run --memory 25% --share 50% -- \
    bash -c 'while :; do "$0" bench --here particles --scale "$1" >/dev/null || exit 1; done' "$outhaul" "$scale" >"$work/$1" 2>&1 || [ $? -eq 124 ]
}
"$outhaul" energy --json >"$work/start.json"
sleep "$seconds"
load first
load second & other=$!
load third
wait "$other"
# Until the node has settled the leases and has told the pool.
sleep 8
"$outhaul" energy --json >"$work/end.json"
counter >"$work/after"
"$outhaul" energy
python3 - "$work" "$board" <<'CHECK'
import json, pathlib, sys
work, gpu = pathlib.Path(sys.argv[1]), sys.argv[2]
start, end = (json.loads((work / f"{name}.json").read_text()) for name in ("start", "end"))
mine = lambda energy: next(one for one in energy["gpus"] if one["gpu"] == gpu)
leases = sum(item["active_mj"] + item["idle_mj"] for bill in end["leases"] for item in bill["items"] if item["gpu"] == gpu)
drawn, nobodys = mine(end)["total_mj"], mine(end)["unleased_mj"]
board = int((work / "after").read_text()) - int((work / "before").read_text())
print(f"method {mine(end)['method']}; leases {leases / 1e3:.1f} J, nobody's {nobodys / 1e3:.1f} J, drawn as the node counted {drawn / 1e3:.1f} J")
print(f"the board's own counter, over a little longer than that: {board / 1e3:.1f} J")
off = abs(leases + nobodys - drawn) / drawn
print(f"{'ok' if off <= 0.02 else 'FAILED'}: leases and nobody's are {100 * off:.2f} % off what was drawn")
sys.exit(off > 0.02)
CHECK
