#!/usr/bin/env bash
# What a program waits for: nothing in a step of training, one answer for each number that it reads;
# and what it sends. Counted as the difference between a long and a short run, on both transports.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

start_node --gpu soft

# waits PROGRAM ARGUMENTS...: how many answers the program waited for.
waits() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    "target/e2e/13.0-static/$1" "${@:2}" 2>&1) || { echo "$output" >&2; return 1; }
  sed -nE 's/.* ([0-9]+) waited for;.*/\1/p' <<<"$output" | grep . \
    || { echo "$output" >&2; return 1; }
}

# in_steps WAY EXPECTED: 90 more steps wait for 90 times EXPECTED answers more.
in_steps() {
  local few many
  few=$(waits steps "$1" 10) && many=$(waits steps "$1" 100) || return 1
  echo "$((many - few)) waits in 90 steps"
  [ $((many - few)) -eq $((90 * $2)) ]
}

# bytes ARGUMENTS...: how many bytes the steps sent.
bytes() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    target/e2e/13.0-static/steps "$@" 2>&1) || { echo "$output" >&2; return 1; }
  sed -nE 's/.*; ([0-9]+) bytes sent,.*/\1/p' <<<"$output" | grep . \
    || { echo "$output" >&2; return 1; }
}

# sent_once: pinned memory that only copies use travels once in each step, 64 KiB of it, though the
# program asked what it is and changes it.
sent_once() {
  local few many
  few=$(bytes decode 10) && many=$(bytes decode 100) || return 1
  echo "$(((many - few) / 90)) bytes in a step"
  [ $(((many - few) / 90)) -ge 65536 ] && [ $(((many - few) / 90)) -lt 75000 ]
}

# looks_at_nothing: a thousand commands beside 64 MiB whose pointer the program asked for compare no
# byte of it.
looks_at_nothing() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    target/e2e/13.0-static/pinned_posts asked 64 1000 2>&1) || { echo "$output" >&2; return 1; }
  grep -oE '[0-9]+ bytes of shared host memory compared' <<<"$output" | tee /dev/stderr \
    | grep -q '^0 '
}

# in_all PROGRAM EXPECTED: the whole program waits for that many.
in_all() {
  local found
  found=$(waits "$1") || return 1
  echo "$found waits"
  [ "$found" -le "$2" ]
}

export -f waits bytes in_steps in_all sent_once looks_at_nothing
export outhaul node
for transport in shared-memory tcp; do
  export OUTHAUL_TRANSPORT=$transport
  run_case "training, $transport" bash -c 'in_steps train 0'
  run_case "decoding, $transport" bash -c 'in_steps decode 1'
  run_case "a program: its code, its result, $transport" bash -c 'in_all vector_add 2'
done
run_case "pinned memory that copies use, tcp" bash -c sent_once
run_case "pinned memory whose pointer is asked for, tcp" bash -c looks_at_nothing
finish_cases
