#!/usr/bin/env bash
# Checks managed memory in each way in which the client can find out what the program wrote, and the
# node what the device wrote. Also checks how many bytes travel.
#
#   managed.sh [--whole]     with --whole, also checks the bytes that travel if the device computes
#                            digests, which is slow on the software GPU
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

export OUTHAUL_TRANSPORT=tcp

conformance() {
  local output
  output=$("$outhaul" run --node "$node" -- \
    "$built/conformance" --jobs "$(nproc)" "$client" managed/ 2>&1) \
    || { echo "$output" >&2; return 1; }
  tail -1 <<<"$output"
}

# travels ROUNDS: prints the bytes sent and received.
travels() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    target/e2e/13.0-static/managed_pages "$1" 2>&1) || { echo "$output" >&2; return 1; }
  sed -nE 's/.*; ([0-9]+) bytes sent, ([0-9]+) received.*/\1 \2/p' <<<"$output" | grep . \
    || { echo "$output" >&2; return 1; }
}

# in_rounds SENT RECEIVED: checks that at most so many bytes travel in a round that changes one page
# in the program and thirty-two on the device.
in_rounds() {
  local few many sent received
  few=($(travels 10)) && many=($(travels 40)) || return 1
  sent=$(((many[0] - few[0]) / 30)) received=$(((many[1] - few[1]) / 30))
  echo "$sent bytes sent and $received received in a round"
  [ "$sent" -le "$1" ] && [ "$received" -le "$2" ]
}

export -f conformance travels in_rounds
for digests in here device; do
  OUTHAUL_DIGESTS=$digests start_node --gpu soft
  export outhaul node built client
  for written in faults writes nothing; do
    OUTHAUL_MANAGED=$written run_case "digests on $digests, $written told" bash -c conformance
  done
  if [ "$digests" = here ] || [ "${1:-}" = --whole ]; then
    OUTHAUL_MANAGED=writes run_case "digests on $digests, what changed comes" \
      bash -c 'in_rounds 6000 140000'
    OUTHAUL_MANAGED=faults run_case "digests on $digests, what is looked at comes" \
      bash -c 'in_rounds 6000 75000'
  fi
  kill "$node_pid"
  wait "$node_pid" || true
done
finish_cases
