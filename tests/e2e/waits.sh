#!/usr/bin/env bash
# Counts how often a program waits, and how many bytes it sends, on both transports: not at all in a
# step of training, and once for each number that it reads. The counts are differences between a
# long and a short run.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

start_node --gpu soft

# waits PROGRAM ARGUMENTS...: prints how many answers the program waited for.
waits() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    "target/e2e/13.0-static/$1" "${@:2}" 2>&1) || { echo "$output" >&2; return 1; }
  sed -nE 's/.* ([0-9]+) waited for;.*/\1/p' <<<"$output" | grep . \
    || { echo "$output" >&2; return 1; }
}

# in_steps WAY EXPECTED: checks that each step waits for EXPECTED answers, by the difference between
# 100 and 10 steps.
in_steps() {
  local few many
  few=$(waits steps "$1" 10) && many=$(waits steps "$1" 100) || return 1
  echo "$((many - few)) waits in 90 steps"
  [ $((many - few)) -eq $((90 * $2)) ]
}

# bytes ARGUMENTS...: prints how many bytes the steps sent.
bytes() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    target/e2e/13.0-static/steps "$@" 2>&1) || { echo "$output" >&2; return 1; }
  sed -nE 's/.*; ([0-9]+) bytes sent,.*/\1/p' <<<"$output" | grep . \
    || { echo "$output" >&2; return 1; }
}

# sent_once: checks that 64 KiB of pinned memory that only copies use travel once in each step, even
# though the program asked for its attributes and changes it.
sent_once() {
  local few many
  few=$(bytes decode 10) && many=$(bytes decode 100) || return 1
  echo "$(((many - few) / 90)) bytes in a step"
  [ $(((many - few) / 90)) -ge 65536 ] && [ $(((many - few) / 90)) -lt 75000 ]
}

# looks_at_nothing: checks that a thousand commands compare no byte of 64 MiB of pinned memory whose
# pointer the program asked for.
looks_at_nothing() {
  local found
  found=$(compared asked 64 1000) || return 1
  echo "$found bytes compared"
  [ "$found" -eq 0 ]
}

# goes_absent: checks that memory that a kernel was given and then neither side touched has the
# right content, whichever side touches it next.
goes_absent() {
  "$outhaul" run --node "$node" -- target/e2e/13.0-static/pinned_untouched absent
}

# compared WAY MIB N: prints how many bytes the client compared.
compared() {
  local output
  output=$(OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- \
    target/e2e/13.0-static/pinned_posts "$@" 2>&1) || { echo "$output" >&2; return 1; }
  sed -nE 's/.* ([0-9]+) bytes of shared host memory compared.*/\1/p' <<<"$output" | grep . \
    || { echo "$output" >&2; return 1; }
}

# left_alone: checks memory of 8 MiB that a kernel was given and then neither side touches. With two
# thousand more waits, the client compares it less than two hundred more times.
left_alone() {
  local few many
  few=$(compared named 8 1000) && many=$(compared named 8 3000) || return 1
  echo "$few and $many bytes compared"
  [ "$few" -gt 0 ] && [ $((many - few)) -lt $((200 * (8 << 20))) ]
}

# in_all PROGRAM EXPECTED: checks that the whole program waits for at most so many answers.
in_all() {
  local found
  found=$(waits "$1") || return 1
  echo "$found waits"
  [ "$found" -le "$2" ]
}

export -f waits bytes compared in_steps in_all sent_once looks_at_nothing goes_absent left_alone
export outhaul node
for transport in shared-memory tcp; do
  export OUTHAUL_TRANSPORT=$transport
  run_case "training, $transport" bash -c 'in_steps train 0'
  run_case "decoding, $transport" bash -c 'in_steps decode 1'
  run_case "child graphs given anew, $transport" bash -c 'in_steps children 0'
  run_case "a program: its code, its result, $transport" bash -c 'in_all vector_add 2'
done
run_case "pinned memory that copies use, tcp" bash -c sent_once
run_case "pinned memory whose pointer is asked for, tcp" bash -c looks_at_nothing
if moves_pages; then
  run_case "pinned memory that nobody touches, tcp" bash -c goes_absent
  run_case "pinned memory that is only named, tcp" bash -c left_alone
else
  verdict skipped "pinned memory that nobody touches, tcp" "$moves_no_pages"
  verdict skipped "pinned memory that is only named, tcp" "$moves_no_pages"
fi
finish_cases
