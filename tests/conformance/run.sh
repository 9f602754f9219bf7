#!/usr/bin/env bash
# Runs the conformance suite in one way, on the software GPU with two devices. Prints the suite's
# lines.
#
#   run.sh [--jobs N] WAY [FILTER]      FILTER is part of the tests' names
#
# A WAY is one of
#   soft CC                      in the process; CC is the compute capability, such as 12.0
#   remote TRANSPORT LANES LOOK  on a node, over tcp or shared-memory, with that many bulk lanes and
#                                threads that spin (1) or sleep (0)
#   cluster                      on a node whose GPU has compute capability 9.0
#   oversubscribed               on a node that promises more memory than its two cards have, which
#                                all workers share
#   beside                       the same, ten times, while a program uses most of a card
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
suite=$built/conformance
# The suite writes its own verdicts.
export OUTHAUL_VERDICTS=$cases_verdicts
work=$(mktemp -d)
export OUTHAUL_SOFT_DEVICES=2

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

jobs=$(nproc)
if [ "${1:-}" = --jobs ]; then
  jobs=$2
  shift 2
fi
[ $# -gt 0 ] || usage

# node ARGUMENT...: starts a node whose GPU copies as early and as late as NVIDIA's driver does, so
# that the tests find promises that only a stricter GPU keeps.
node() { OUTHAUL_SOFT_LIKE_NVIDIAS=1 start_node --gpu soft --cache "$work/cache" "$@"; }

# conform [--without NAMES] [FILTER]: runs the suite, or a part of it, on the node.
conform() {
  local options=()
  if [ "${1:-}" = --without ]; then
    options=("$1" "$2")
    shift 2
  fi
  "$outhaul" run --node "$node" -- "$suite" --jobs "$jobs" "${options[@]}" "$client" "${1:-}"
}

# On an oversubscribed node, handing managed memory to a host function waits for commands (decision
# 0034).
waits_for_commands=managed/a_host_function_before_much_work
waits_for_commands+=,managed/a_host_callback_before_more_than_the_driver_takes
waits_for_commands+=,managed/graphs_with_host_functions_one_behind_the_other
# Nor does the node wait for host functions before calls that drain the driver (decision 0057).
waits_for_commands+=,managed/streams_modules_and_graphs_are_made_between_host_functions
waits_for_commands+=,managed/running_graphs_end_between_host_functions
waits_for_commands+=,managed/streams_are_made_behind_host_functions_of_streams_that_are_gone_or_capture

case $1 in
  soft)
    # Most of the gate's wrong calls are made here, because they are fastest in the process.
    export OUTHAUL_WRONG_CALLS=${OUTHAUL_WRONG_CALLS:-10000}
    OUTHAUL_SOFT_CC=$2 "$suite" --jobs "$jobs" "$soft" "${3:-}"
    ;;
  remote)
    export OUTHAUL_TUNE=${OUTHAUL_TUNE:+$OUTHAUL_TUNE,}spin=$4
    # No kernel reaches the limit. The test shows that observing launches disturbs nothing.
    node --kernel-limit 60s --log-refusals
    OUTHAUL_TRANSPORT=$2 OUTHAUL_LANES=$3 conform "${5:-}"
    # All system calls of sessions must be on the list of calls that the cell allows.
    if refused=$(grep -m 1 'is refused' "$node_errors"); then
      verdict failed "calls of the system" "$refused"
      exit 1
    fi
    ;;
  cluster)
    export OUTHAUL_SOFT_CC=9.0
    node
    conform "cluster/${2:-}"
    ;;
  oversubscribed | beside)
    export OUTHAUL_SOFT_CARD=$work/card OUTHAUL_SOFT_MEMORY=512MiB
    # The suite skips what such a node refuses, because the devices report no access to each other.
    node --oversubscribe
    if [ "$1" = oversubscribed ]; then
      conform --without "$waits_for_commands" "${2:-}"
      # Uses the maximum number of lanes, in addition to the ledgers of where memory is.
      [ -n "${2:-}" ] || OUTHAUL_TRANSPORT=shared-memory OUTHAUL_LANES=32 conform context/limits
      exit
    fi
    # Sessions begin and end while another one takes turns with them. A deadlock here occurred in
    # about one of a few runs, so the tests run ten times.
    "$outhaul" run --node "$node" -- "$outhaul" bench holder --bytes 320MiB --rounds 1000000 \
      >"$work/holder" 2>&1 &
    holder=$!
    await_line "$work/holder" ready "$holder"
    for _ in $(seq 10); do conform "${2:-texture}"; done
    kill "$holder" || {
      cat "$work/holder"
      echo "run.sh: the program that holds memory has ended" >&2
      exit 1
    }
    wait "$holder" || true
    ;;
  *) usage ;;
esac
