#!/usr/bin/env bash
# On a machine with two GPUs: prints what nvidia-smi reports about their links natively and
# remotely. Then runs NCCL between two remote processes again and again, which once lost sessions,
# over TCP and shared memory, and the steps of stacks.sh. The programs run where no /dev/nvidia* can
# be opened. Writes the node's log and the output of failed runs to $OUT, or to FOLDER. Builds
# nothing: pack.sh made the folder on another machine.
#
#   two.sh [FOLDER [REPEATS]]      FOLDER is target/device by default, REPEATS 12
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
repeats=${2:-12}
chmod +x bench/device/*.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
"$outhaul" serve --listen 127.0.0.1:7704 --gpu auto --cache "$work/cache" \
  >"$into/two-node.log" 2>&1 &
for _ in $(seq 100); do grep -q serving "$into/two-node.log" && break; sleep 0.1; done
export PYTHONPATH=$PWD/bench/device/stacks PLACEHOLDER=/dev/nvidiactl
remote() { timeout 100 bench/device/without-gpu.sh "$outhaul" run --node 127.0.0.1:7704 -- "$@"; }

echo "== links natively"
nvidia-smi topo -m | sed -n 1,4p || true
echo "== links remotely"
OUTHAUL_LOG=1 remote nvidia-smi topo -m 2>&1 | sed -n 1,24p || true

cat >"$work/nccl.py" <<'P'
import devices_steps

if __name__ == "__main__":
    print(devices_steps.joined(devices_steps.all_reduce_rate))
P
echo "== NCCL natively"
python3 "$work/nccl.py"
for transport in tcp shared-memory; do
  export OUTHAUL_TRANSPORT=$transport
  echo "== NCCL between two remote processes, $transport, $repeats times"
  failed=0
  for i in $(seq "$repeats"); do
    if remote python3 "$work/nccl.py" >"$work/out" 2>"$work/err"; then
      cat "$work/out"
    else
      failed=$((failed + 1))
      echo "run $i failed; $into/two-$transport-$i.err has what it said"
      cp "$work/err" "$into/two-$transport-$i.err"
    fi
  done
  echo "$((repeats - failed)) of $repeats ended well; workers that died:" \
    "$(grep -c ' died' "$into/two-node.log" || true)"
done
unset OUTHAUL_TRANSPORT
kill %1
bench/device/stacks.sh "$folder" devices
