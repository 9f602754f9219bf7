#!/usr/bin/env bash
# On a machine with a GPU, PyTorch, torchvision and transformers: measures real models natively and
# remotely over loopback. Prints the ratio, and how often a step waits for the node. The remote
# client runs where no /dev/nvidia* can be opened. Builds nothing: pack.sh made the folder on
# another machine.
#
#   models.sh FOLDER STEPS CASE...
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "$1")
steps=$2
shift 2
outhaul=$folder/release/outhaul
chmod +x "$outhaul" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
"$outhaul" serve --listen 127.0.0.1:7702 --gpu auto --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done

# remote CASE STEPS NAME
remote() {
  OUTHAUL_TUNE=${OUTHAUL_TUNE:+$OUTHAUL_TUNE,}stats=1 timeout 240 bench/device/without-gpu.sh "$outhaul" run --node 127.0.0.1:7702 -- \
    python3 -P bench/device/models.py "$1" "$2" >"$work/$3" 2>"$work/$3.err" \
    || tail -n 5 "$work/$3.err"
}
waits() { sed -n 's/.* messages sent, \([0-9]*\) waited for.*/\1/p' "$1"; }

for case in "$@"; do
  # Runs each once first, so that later runs need not compile at run time.
  timeout 240 python3 -P bench/device/models.py "$case" "$steps" >"$work/first" 2>&1 || true
  remote "$case" $((steps * 2)) first
  timeout 240 python3 -P bench/device/models.py "$case" "$steps" \
    >"$work/native" 2>"$work/native.err" || tail -n 5 "$work/native.err"
  remote "$case" "$steps" remote
  remote "$case" $((steps * 2)) longer
  python3 - "$work/native" "$work/remote" \
    "$(waits "$work/remote.err")" "$(waits "$work/longer.err")" $((steps * 3)) <<'P'
import json, sys
try:
    native, remote = (json.loads(open(p).read()) for p in sys.argv[1:3])
except ValueError:
    sys.exit("no result")
waits = (int(sys.argv[4]) - int(sys.argv[3])) / int(sys.argv[5])
print(f"{native['case']:<18} native {native['ms_per_step']:>8.2f} ms"
      f"  remote {remote['ms_per_step']:>8.2f} ms"
      f"  ratio {native['ms_per_step'] / remote['ms_per_step']:.3f}"
      f"  waits/step {waits:.2f}  warm-up {native['warm_up_s']} / {remote['warm_up_s']} s")
print("   losses native", native["losses"])
print("   losses remote", remote["losses"])
P
  grep -E '^outhaul: cu' "$work/longer.err" | sort -k7 -n -r | head -n 14 || true
done
tail -n 3 "$work/node"
