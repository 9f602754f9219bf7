#!/usr/bin/env bash
# The conformance suite on the software GPU with two devices: directly, and remotely over it on each transport. Prints the suite's lines; the last of each part counts.
set -euo pipefail

cd "$(dirname "$0")/../.."
suite=target/release/conformance
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
status=0
export OUTHAUL_SOFT_DEVICES=2

echo "-- software GPU"
"$suite" "$PWD/target/lib/soft/libcuda.so.1" || status=1

# The limit is never reached; what it does with launches is to disturb nothing.
target/release/outhaul serve --listen 127.0.0.1:0 --gpu soft --kernel-limit 60s --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
node=$(sed -n 's/.*serving.* on \([0-9.:]*\)$/\1/p' "$work/node")
[ -n "$node" ] || { cat "$work/node"; echo "run.sh: the node did not start" >&2; exit 1; }
for way in "shared-memory 4" "tcp 4" "tcp 0"; do
  read -r transport lanes <<<"$way"
  echo "-- remote over the software GPU, $transport, $lanes bulk lanes"
  OUTHAUL_TRANSPORT=$transport OUTHAUL_LANES=$lanes target/release/outhaul run --node "$node" -- "$suite" "$PWD/target/lib/client/libcuda.so.1" || status=1
done
exit $status
