#!/usr/bin/env bash
# The conformance suite on the software GPU with two devices: directly, and remotely over it on each transport. Prints the suite's lines; the last of each part counts.
set -euo pipefail

cd "$(dirname "$0")/../.."
suite=target/release/conformance
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
status=0
export OUTHAUL_SOFT_DEVICES=2

jobs=$(nproc)

echo "-- software GPU"
"$suite" --jobs "$jobs" "$PWD/target/lib/soft/libcuda.so.1" || status=1

# The kernel limit is never reached; what it does with launches is to disturb nothing.
# remote LOOK WAY...: threads that look before they sleep (1), or do not (0); a way is a transport and a number of bulk lanes.
remote() {
  export OUTHAUL_LOOK=$1
  shift
  : >"$work/node"
  target/release/outhaul serve --listen 127.0.0.1:0 --gpu soft --kernel-limit 60s --cache "$work/cache" >"$work/node" 2>&1 &
  for _ in $(seq 600); do grep -q serving "$work/node" && break; sleep 0.1; done
  local node way transport lanes
  node=$(sed -n 's/.*serving.* on \([0-9.:]*\)$/\1/p' "$work/node")
  [ -n "$node" ] || { cat "$work/node"; echo "run.sh: the node did not start" >&2; exit 1; }
  for way in "$@"; do
    read -r transport lanes <<<"$way"
    echo "-- remote over the software GPU, $transport, $lanes bulk lanes, threads that $([ "$OUTHAUL_LOOK" = 1 ] && echo look || echo sleep)"
    OUTHAUL_TRANSPORT=$transport OUTHAUL_LANES=$lanes target/release/outhaul run --node "$node" -- \
      "$suite" --jobs "$jobs" "$PWD/target/lib/client/libcuda.so.1" || status=1
  done
  kill %%
  wait
}

remote 0 "shared-memory 4" "tcp 4" "tcp 0"
remote 1 "shared-memory 4" "tcp 4"
exit $status
