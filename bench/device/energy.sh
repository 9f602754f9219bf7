#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: checks the energy that a pool accounts for. Three leases of one
# GPU compute, one alone and two at once. The script compares the pool's sum of leased and unleased
# energy with the board's own counter. Builds nothing: pack.sh made the folder on another machine.
#
#   energy.sh [FOLDER [SECONDS]]      FOLDER is target/device by default; SECONDS is the duration of
#                                     each of the three phases (20)
#
# GPU=soft runs the script on the software GPU of `make build` (FOLDER is target then). It has no
# counter: by definition it draws 20 W by this script's clock, and 100 W more while it is busy.
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
"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --pool "$OUTHAUL_POOL" --name here \
  --cache "$work/cache" >"$work/node.log" 2>&1 &
for _ in $(seq 600); do grep -q "in the pool" "$work/node.log" && break; sleep 0.1; done
grep -q "in the pool" "$work/node.log" || { cat "$work/node.log" >&2; exit 1; }
board=$("$outhaul" node ls --json \
  | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["gpus"][0]["uuid"])')

# reading FILE: waits for the pool's next report and writes it to a file. Also writes the board's
# counter, in millijoules; for the software GPU, the clock, in milliseconds.
reading() {
  "$outhaul" energy --json >"$work/old.json"
  for _ in $(seq 150); do
    sleep 0.1
    "$outhaul" energy --json >"$work/$1.json"
    cmp -s "$work/old.json" "$work/$1.json" || break
  done
  if [ "$gpu" = soft ]; then
    date +%s%3N >"$work/$1.counter"
  else
    { "$outhaul" energy-counters "$board" || true; } 2>/dev/null | head -n 1 \
      | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())[sys.argv[1]])' \
        "$board" >"$work/$1.counter" \
      || { echo "energy.sh: NVML has no counter for $board" >&2; exit 1; }
  fi
}

# load NAME: computes in a lease of half the GPU until the phase is over.
load() {
  timeout "$seconds" "$outhaul" run --memory 25% --share 50% -- \
    bash -c 'while :; do "$0" bench --here particles --scale "$1" >/dev/null || exit 1; done' \
    "$outhaul" "$scale" >"$work/$1" 2>&1 \
    || [ $? -eq 124 ] \
    || { echo "energy.sh: the load '$1' failed" >&2; cat "$work/$1" >&2; return 1; }
}
reading start
sleep "$seconds"
load first
load second & other=$!
load third
wait "$other"
# Waits until the node has settled the leases and has told the pool.
sleep 8
reading end
"$outhaul" energy
python3 - "$work" "$board" "$gpu" <<'CHECK'
import json, pathlib, sys
work, gpu, soft = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "soft"
start, end = (json.loads((work / f"{name}.json").read_text()) for name in ("start", "end"))
items = [item for bill in end["leases"] for item in bill["items"] if item["gpu"] == gpu]
mine = lambda energy: next(one for one in energy["gpus"] if one["gpu"] == gpu)
leases_j = sum(item["active_mj"] + item["idle_mj"] for item in items) / 1e3
nobodys_j = (mine(end)["unleased_mj"] - mine(start)["unleased_mj"]) / 1e3
passed = (int((work / "end.counter").read_text()) - int((work / "start.counter").read_text())) / 1e3
busy_s = [item["busy_ns"] / 1e9 for item in items]
board_j = 20 * passed + 100 * sum(busy_s) if soft else passed
off = abs(leases_j + nobodys_j - board_j) / board_j
print(
    f"method {mine(end)['method']}; leases {leases_j:.1f} J, nobody's {nobodys_j:.1f} J; "
    f"the board's own counter {board_j:.1f} J"
)
print("busy in each lease: " + ", ".join(f"{busy:.1f} s" for busy in busy_s))
checks = {
    f"leases and nobody's are {100 * off:.2f} % off the board's counter (at most 2)": off <= 0.02,
    "three leases computed, and pay for it": len(items) == 3
    and all(item["busy_ns"] > 1e8 and item["active_mj"] > 0 for item in items),
}
for what, holds in checks.items():
    print(f"{'ok' if holds else 'FAILED'}: {what}")
sys.exit(not all(checks.values()))
CHECK
