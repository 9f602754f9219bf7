#!/usr/bin/env bash
# Checks two nodes of this machine that a program sees as one list of devices, with the conformance
# suite, a CUDA program and NVML. Copies go from node to node, or through the client if the nodes do
# not reach each other. If one node is killed, the other continues.
#
#   two-nodes.sh [--whole]     with --whole, runs the whole conformance suite, not only the tests
#                              that use several devices
set -euo pipefail

cd "$(dirname "$0")/../.."
# A case here may be a whole suite.
LIMIT_S=${LIMIT_S:-300}
. tests/e2e/cases.sh

suite=$built/conformance
program=target/e2e/13.0-static/two_devices
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# node NAME: starts another node and adds its address to $nodes.
nodes=
node() {
  "$outhaul" serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache-$1" >"$work/$1" 2>&1 &
  eval "$1=$!"
  nodes=${nodes:+$nodes,}$(address_of "$work/$1" $!)
}
node first
node second
export OUTHAUL_NODE=$nodes
run=("$outhaul" run --)

# quietly COMMAND...: prints only the command's last line, unless it fails.
quietly() {
  local output status=0
  output=$("$@" 2>&1) || status=$?
  if [ "$status" -eq 0 ]; then tail -n 1 <<<"$output"; else echo "$output"; fi
  return "$status"
}

# sends_little COMMAND...: checks that less than 200 MB pass through the client. The command copies
# 32 MiB nine times from device to device, and three times from or to its own memory.
sends_little() {
  local output
  output=$(OUTHAUL_STATS=1 "$@" 2>&1) || { echo "$output"; return 1; }
  tail -n 1 <<<"$output" | grep -oE '[0-9]+ bytes sent, [0-9]+ received' \
    | awk '{ print; is_little = $1 + $4 < 200e6 } END { exit !is_little }'
}


refuses() {
  local output
  output=$("$@" 2>&1) && { echo "it succeeded: $output"; return 1; }
  grep -o 'cannot reach a node at 127.0.0.1:1[^;]*' <<<"$output"
}

loses() {
  "$outhaul" run -- "$program" lose >"$work/out" 2>"$work/err" &
  local lost=$!
  await_line "$work/out" started >/dev/null
  pkill -KILL -P "$second" -f '^/proc/self/exe worker'
  wait "$lost" || { cat "$work/out" "$work/err"; return 1; }
  grep -q "the session with ${nodes#*,} is lost" "$work/err" || { cat "$work/err"; return 1; }
  tail -n 1 "$work/out"
}

parts="peer/ copy/"
[ "${1:-}" != --whole ] || parts=all

# case_of NAME FUNCTION ARGUMENTS...: runs one of the functions above as a case.
export -f quietly sends_little refuses loses await_line
export outhaul program work nodes second START_SECONDS_MAX
case_of() { run_case "$1" bash -c '"$@"' bash "${@:2}"; }

for transport in shared-memory tcp; do
  export OUTHAUL_TRANSPORT=$transport
  for part in $parts; do
    case_of "conformance, $part, $transport" \
      quietly "${run[@]}" "$suite" --jobs "$(nproc)" "$client" "${part#all}"
  done
  run_case "program, $transport" "${run[@]}" "$program"
done
case_of "bytes go from node to node" sends_little "${run[@]}" "$program"
run_case "and by way of the client" env OUTHAUL_RELAY=1 "${run[@]}" "$program"
run_case "nvml" "${run[@]}" python3 tests/e2e/nvml/nvml.py nodes
run_case "copies into memory that the other node's kernels use" env OUTHAUL_TRANSPORT=tcp \
  "${run[@]}" target/e2e/13.0-static/pinned_untouched across
case_of "a node that is not there" \
  refuses env OUTHAUL_NODE="$nodes,127.0.0.1:1" "${run[@]}" "$program"
case_of "a node is lost" loses
run_case "and serves on" "${run[@]}" "$program"
finish_cases
