#!/usr/bin/env bash
# Copies and small latencies of one driver, natively and through a node on the same machine over each transport, side by side. On a machine
# with a GPU the remote client runs where no /dev/nvidia* can be opened. Builds nothing: pack.sh made the folder elsewhere.
#
#   copies.sh [FOLDER]      FOLDER is target/device unless given; GPU=soft measures the software GPU of `make build` (FOLDER is target then)
#
# RUNS=3 is how often everything is measured, in turn; the table has the medians, and their spread (highest over lowest) where it is above 1.3.
# LARGEST_MIB=256 is the largest copy.
set -euo pipefail

cd "$(dirname "$0")/../.."
gpu=${GPU:-auto}
folder=$(realpath -s "${1:-$([ "$gpu" = soft ] && echo target || echo target/device)}")
outhaul=$folder/release/outhaul
runs=${RUNS:-3}
bench=(bench copies --json --largest "${LARGEST_MIB:-256}")
chmod +x "$outhaul" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

hide=(bench/device/without-gpu.sh)
native=("$outhaul" "${bench[@]}")
if [ "$gpu" = soft ]; then
  hide=()
  native=("$outhaul" run --gpu soft -- "$outhaul" "${bench[@]}")
fi

"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 200); do grep -q serving "$work/node" && break; sleep 0.1; done
node=$(sed -n 's/.*serving.* on \([0-9.:]*\)$/\1/p' "$work/node")
[ -n "$node" ] || { cat "$work/node"; echo "copies.sh: the node did not start" >&2; exit 1; }

# remote NAME TRANSPORT LANES
remote() {
  OUTHAUL_TRANSPORT=$2 OUTHAUL_LANES=$3 timeout 120 "${hide[@]}" "$outhaul" run --node "$node" -- "$outhaul" "${bench[@]}" >>"$work/$1" ||
    echo "copies.sh: $1 failed" >&2
}

for _ in $(seq "$runs"); do
  timeout 120 "${native[@]}" >>"$work/native" || echo "copies.sh: the native run failed" >&2
  remote tcp-1 tcp 0
  remote tcp-4 tcp 4
  remote memory-1 shared-memory 0
  remote memory-4 shared-memory 4
done

grep -m 1 serving "$work/node"
python3 - "$work" native tcp-1 tcp-4 memory-1 memory-4 <<'P'
import json, statistics, sys

folder, names = sys.argv[1], sys.argv[2:]
cases, results = [], {}
for name in names:
    try:
        lines = open(f"{folder}/{name}").read().splitlines()
    except OSError:
        lines = []
    for line in map(json.loads, lines):
        case = (line["case"], line["bytes"])
        if case not in cases:
            cases.append(case)
        results.setdefault((name, case), []).append(line["us"])

def cell(name, case):
    us = results.get((name, case))
    if not us:
        return "-"
    middle = statistics.median(us)
    text = f"{middle:.2f} us" if case[1] < 1 << 16 else f"{case[1] / middle / 1e3:.2f} GB/s"
    spread = max(us) / min(us)
    return text + (f" x{spread:.1f}" if spread > 1.3 else "")

titles = {"native": "native", "tcp-1": "TCP, no bulk lanes", "tcp-4": "TCP, 4 bulk lanes", "memory-1": "memory, no bulk lanes", "memory-4": "memory, 4 bulk lanes"}
rows = [["case"] + [titles[name] for name in names]] + [[case[0]] + [cell(name, case) for name in names] for case in cases]
widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
for row in rows:
    print(row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:])), sep="  ")
P
