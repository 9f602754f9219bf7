#!/usr/bin/env bash
# The conformance suite on the software GPU with two devices: directly, remotely over it on each
# transport, and on a node that promises more memory than its cards hold; there also beside a
# program. Prints the suite's lines; the last of each part counts.
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

# start ARGUMENT...: a node, and where it is in `node`.
# Its GPU copies as early and as late as NVIDIA's driver does: what is promised has to be kept there
# too.
start() {
  : >"$work/node"
  OUTHAUL_SOFT_LIKE_NVIDIAS=1 target/release/outhaul serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache" "$@" >"$work/node" 2>&1 &
  serving=$!
  for _ in $(seq 600); do grep -q serving "$work/node" && break; sleep 0.1; done
  node=$(sed -n 's/.*serving.* on \([0-9.:]*\)$/\1/p' "$work/node")
  [ -n "$node" ] || { cat "$work/node"; echo "run.sh: the node did not start" >&2; exit 1; }
}

stop() {
  kill "$serving"
  wait "$serving" || true
}

# conform JOBS [FILTER]: the suite on the node, or a part of it, without the tests that `without`
# names.
without=
conform() {
  target/release/outhaul run --node "$node" -- "$suite" --jobs "$1" --without "$without" "$PWD/target/lib/client/libcuda.so.1" "${@:2}" || status=1
}

# The kernel limit is never reached; what it does with launches is to disturb nothing.
# remote LOOK WAY...: threads that look before they sleep (1), or do not (0); a way is a transport
# and a number of bulk lanes.
remote() {
  export OUTHAUL_LOOK=$1
  shift
  start --kernel-limit 60s --log-refusals
  local way transport lanes
  for way in "$@"; do
    read -r transport lanes <<<"$way"
    echo "-- remote over the software GPU, $transport, $lanes bulk lanes, threads that $([ "$OUTHAUL_LOOK" = 1 ] && echo look || echo sleep)"
    OUTHAUL_TRANSPORT=$transport OUTHAUL_LANES=$lanes conform "$jobs"
  done
  stop
  # What sessions ask of the system is on the list of calls that they are in for.
  if grep 'is refused' "$work/node"; then status=1; fi
}

# All workers have the same two cards. What such a node refuses the suite skips, since the devices
# say that they do not reach each other.
oversubscribed() {
  export OUTHAUL_SOFT_CARD=$work/card OUTHAUL_SOFT_MEMORY=512MiB
  start --oversubscribe
  echo "-- remote over the software GPU, on a node that oversubscribes"
  # There, a host function's turn of managed memory waits for commands (decision 0051).
  without=managed/a_host_function_before_much_work,managed/a_host_callback_before_more_than_the_driver_takes,managed/graphs_with_host_functions_one_behind_the_other
  # Nor does anything wait for host functions before calls that drain the driver (decision 0075).
  without+=,managed/streams_modules_and_graphs_are_made_between_host_functions,managed/running_graphs_end_between_host_functions
  without+=,managed/streams_are_made_behind_host_functions_of_streams_that_are_gone_or_capture
  conform "$jobs"
  without=
  # As many lanes as there may be, beside the ledgers of what is where.
  OUTHAUL_TRANSPORT=shared-memory OUTHAUL_LANES=32 conform 1 context/limits
  # Sessions begin and end beside one that takes turns with them. What stood still here did so in
  # one of a few times.
  echo "-- textures, ten times, beside a program that holds most of a card"
  target/release/outhaul run --node "$node" -- target/release/outhaul bench holder --bytes 320MiB --rounds 1000000 >"$work/holder" 2>&1 &
  local holding=$!
  for _ in $(seq 600); do grep -q ready "$work/holder" && break; sleep 0.1; done
  # On a machine that does other things besides a test takes longer than it may elsewhere; one that
  # stands still never ends.
  for _ in $(seq 10); do OUTHAUL_TEST_SECONDS_MAX=120 conform "$jobs" texture; done
  kill "$holding" \
    || { cat "$work/holder"; echo "run.sh: the program that holds memory has ended" >&2; status=1; }
  wait "$holding" || true
  stop
}

# What only newer devices have.
newer() {
  export OUTHAUL_SOFT_CC=9.0
  echo "-- the software GPU of compute capability 9.0, and clusters remotely over it"
  "$suite" --jobs "$jobs" "$PWD/target/lib/soft/libcuda.so.1" || status=1
  start
  conform "$jobs" cluster/
  stop
  unset OUTHAUL_SOFT_CC
}

newer
remote 0 "shared-memory 4" "tcp 4" "tcp 0"
remote 1 "shared-memory 4" "tcp 4"
oversubscribed
exit $status
