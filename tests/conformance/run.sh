#!/usr/bin/env bash
# The conformance suite on the software GPU with two devices, in one way. Prints the suite's lines.
#
#   run.sh [--jobs N] WAY [FILTER]      FILTER is part of the tests' names
#
# A WAY is one of
#   soft CC                      in the process; CC is the compute capability, 12.0 for instance
#   remote TRANSPORT LANES LOOK  on a node, over tcp or shared-memory, with that many bulk lanes and
#                                threads that look (1) or sleep (0)
#   cluster                      on a node whose GPU is of compute capability 9.0
#   oversubscribed               on a node that promises more memory than its cards hold, where all
#                                workers have the same two
#   beside                       the same, ten times, beside a program that holds most of a card
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
suite=$built/conformance
# The suite writes its own.
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

# node ARGUMENT...: its GPU copies as early and as late as NVIDIA's driver does: what is promised has
# to be kept there too.
node() { OUTHAUL_SOFT_LIKE_NVIDIAS=1 start_node --gpu soft --cache "$work/cache" "$@"; }

# conform [--without NAMES] [FILTER]: the suite on the node, or a part of it.
conform() {
  local options=()
  if [ "${1:-}" = --without ]; then
    options=("$1" "$2")
    shift 2
  fi
  "$outhaul" run --node "$node" -- "$suite" --jobs "$jobs" "${options[@]}" "$client" "${1:-}"
}

# There, a host function's turn of managed memory waits for commands (decision 0034).
waits_for_commands=managed/a_host_function_before_much_work
waits_for_commands+=,managed/a_host_callback_before_more_than_the_driver_takes
waits_for_commands+=,managed/graphs_with_host_functions_one_behind_the_other
# Nor does anything wait for host functions before calls that drain the driver (decision 0057).
waits_for_commands+=,managed/streams_modules_and_graphs_are_made_between_host_functions
waits_for_commands+=,managed/running_graphs_end_between_host_functions
waits_for_commands+=,managed/streams_are_made_behind_host_functions_of_streams_that_are_gone_or_capture

case $1 in
  soft)
    OUTHAUL_SOFT_CC=$2 "$suite" --jobs "$jobs" "$soft" "${3:-}"
    ;;
  remote)
    export OUTHAUL_LOOK=$4
    # The kernel limit is never reached; what it does with launches is to disturb nothing.
    node --kernel-limit 60s --log-refusals
    OUTHAUL_TRANSPORT=$2 OUTHAUL_LANES=$3 conform "${5:-}"
    # What sessions ask of the system is on the list of calls that they are in for.
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
    # What such a node refuses the suite skips, since the devices say that they do not reach each
    # other.
    node --oversubscribe
    if [ "$1" = oversubscribed ]; then
      conform --without "$waits_for_commands" "${2:-}"
      # As many lanes as there may be, beside the ledgers of what is where.
      [ -n "${2:-}" ] || OUTHAUL_TRANSPORT=shared-memory OUTHAUL_LANES=32 conform context/limits
      exit
    fi
    # Sessions begin and end beside one that takes turns with them. What stood still here did so in
    # one of a few times.
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
