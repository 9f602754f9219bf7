#!/usr/bin/env bash
# Checks that sessions survive broken connections, over TCP, on the software GPU. Connections of
# some programs break all the time, and the network of others fails for a while. Also checks the
# cases in which a session must end. Prints a line for each case.
#
#   cuts.sh [--timed] [in_the_clear|over_tls]
#
# With --timed, also stops networks and processes for a while, checks how long each case takes, and
# runs more of the conformance suite.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

random=$built/random-programs
timed=
[ "${1:-}" != --timed ] || { timed=$1; shift; }
part=${1:-all}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export OUTHAUL_TRANSPORT=tcp OUTHAUL_LANES=4

cat >"$work/program.py" <<'PYTHON'
"""SECONDS: fills memory with a number and reads it back, again and again for so many seconds.

Prints "started", and the duration of the longest round. Exit code 3 is a CUDA error, 4 wrong data.
"""
import ctypes
import sys
import time

cuda = ctypes.CDLL("libcuda.so.1")
context, memory, words = ctypes.c_void_p(), ctypes.c_uint64(), (ctypes.c_uint32 * 65536)()


def check(code):
    if code:
        print(f"error {code} after {time.monotonic() - start:.1f} s", flush=True)
        sys.exit(3)


start = time.monotonic()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.sizeof(words)))
print("started", flush=True)
number, longest = 0, 0.0
start = before = time.monotonic()
while before - start < float(sys.argv[1]):
    number += 1
    check(cuda.cuMemsetD32_v2(memory, number, len(words)))
    check(cuda.cuMemcpyDtoH_v2(words, memory, ctypes.sizeof(words)))
    if any(words[i] != number for i in range(0, len(words), 4096)):
        sys.exit(4)
    now = time.monotonic()
    before, longest = now, max(longest, now - before)
print(f"{number} rounds, the longest {longest:.1f} s", flush=True)
PYTHON

# Ends the relay, so that nothing listens at its address.
end_relay() {
  [ -n "$relay" ] || return 0
  kill -9 "$relay" 2>/dev/null || true
  wait "$relay" 2>/dev/null || true
  relay=
}
relay=

# relay OPTIONS...: starts the relay between programs and the node, in place of an earlier one. Sets
# $address to its address.
relay() {
  end_relay
  : >"$work/relay"
  "$random" relay --to "$node" --delay-us 0 "$@" >>"$work/relay" 2>"$work/cuts" &
  relay=$!
  address=$(address_of "$work/relay" "$relay")
}

# program ADDRESS SECONDS [GRACE [OPTION...]]: starts a program, and waits until it uses the device.
# With an empty address it runs on a GPU that the pool leases.
program() {
  # The file may have the "started" of an earlier program.
  : >"$work/out"
  OUTHAUL_GRACE=${3:-120} "$outhaul" run ${1:+--node "$1"} "${@:4}" -- \
    python3 "$work/program.py" "$2" >"$work/out" 2>"$work/err" &
  program=$!
  await_line "$work/out" started "$program" >/dev/null || { cat "$work/err"; return 1; }
}

# ended: waits for the program. Sets $code to its exit code and $said to the last line it printed.
ended() {
  code=0
  wait "$program" || code=$?
  said=$(tail -n 1 "$work/out")
}

# right: checks that the program succeeded.
right() { [ "$code" = 0 ] || { echo "code $code, '$said': $(tail -n 1 "$work/err")"; return 1; }; }
# lost WORDS: checks that the program got a CUDA error and its user a line with these words.
lost() { [ "$code" = 3 ] || { echo "code $code, '$said'"; return 1; }; has_line "$work/err" "$1"; }

# Prints the number of the node's workers.
workers() { pgrep -cf "^/proc/self/exe worker .*$work/cache" || true; }
# Checks that the node has no worker within so many tenths of a second; untimed, within a minute.
no_worker_within() {
  local tenths=$1
  [ -n "$timed" ] || tenths=600
  for _ in $(seq "$tenths"); do [ "$(workers)" = 0 ] && return; sleep 0.1; done
  say_workers
  return 1
}
is_one_worker() { [ "$(workers)" = 1 ] || { say_workers; return 1; }; }
say_workers() {
  ps -eo pid,etimes,args | grep "[ ]/proc/self/exe worker .*$work/cache" || echo "no worker"
}

# conforms PART RUN...: checks that this part of the suite passes although the relay's connections
# break.
conforms() {
  "$outhaul" run "${@:2}" -- "$built/conformance" --jobs 2 "$client" "$1" >"$work/said" 2>&1 \
    || { grep -v '^ok' "$work/said"; return 1; }
  grep -q 'connections cut' "$work/cuts" || { echo "hardly a connection broke"; return 1; }
  tail -n 1 "$work/cuts"
}

# conformance PART BYTES: runs this part over connections that break within so many bytes.
conformance() { relay --cut-bytes "$2" && conforms "$1" --node "$address"; }

# sealed RELAY...: starts a pool with an identity, so that connections use TLS. Starts a node that
# clients reach through a relay with these options.
sealed() {
  export HOME=$work/home
  mkdir -p "$HOME"
  node=127.0.0.1:$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
  relay "$@"
  "$outhaul" pool init >/dev/null
  "$outhaul" pool serve --listen 127.0.0.1:0 >"$work/pool" 2>&1 &
  OUTHAUL_POOL=$(await_line "$work/pool" 'https://' | grep -oE 'https://[^ ]+' | head -n 1)
  export OUTHAUL_POOL
  OUTHAUL_JOIN=$("$outhaul" pool token node gpu7) sealed_node
  "$outhaul" token join "$("$outhaul" pool token user alice)" >/dev/null
}

# listen OUTPUT ARGUMENTS...: starts a listener at the node's address. Sets $node_pid to its
# process.
listen() {
  : >"$1"
  "$outhaul" serve --listen "$node" --gpu soft --cache "$work/cache" --grace 10s "${@:2}" \
    >"$1" 2>&1 &
  node_pid=$!
  await_line "$1" serving "$node_pid" >/dev/null
}
sealed_node() { listen "$work/sealed" --advertise "$address" --pool "$OUTHAUL_POOL"; }

# These functions do not run within run_case, because this script kills the processes that they
# start.

# gone_for_a_while ADDRESS: checks a program whose connections carry nothing for a while, without
# any error. `outhaul top` must show the silence and the break.
gone_for_a_while() {
  program "$1" 12 || return 1
  sleep 2
  kill -STOP "$relay"
  sleep 4
  "$outhaul" top --node "$node" --once >"$work/top"
  kill -CONT "$relay"
  sleep 1.5
  "$outhaul" top --node "$node" --metrics >"$work/metrics"
  ended
  end_relay
  right && { grep -E 'longest [4-7]\.' <<<"$said" || { echo "$said"; return 1; }; } || return 1
  grep -qE '^    nothing heard for [3-5] s: ' "$work/top" || { cat "$work/top"; return 1; }
  grep -qE '^outhaul_session_breaks_total\{.*\} [1-9]' "$work/metrics" \
    || { cat "$work/metrics"; return 1; }
  grep -qE '^outhaul_session_silent_seconds\{.*\} 0$' "$work/metrics" \
    || { cat "$work/metrics"; return 1; }
}
gone_for_good() {
  relay && program "$address" 60 3 || return 1
  end_relay
  "$outhaul" top --node "$node" --once >"$work/top"
  ended
  grep -qE '^    connection lost [01] s ago, waiting up to 3 s$' "$work/top" \
    || { cat "$work/top"; return 1; }
  lost 'a connection broke, and'
}
lease_is_over() {
  program "" 60 120 --grace 4s || return 1
  end_relay
  "$outhaul" top --node "$node" --once >"$work/top"
  ended
  grep -qE '^    connection lost [01] s ago, waiting up to 4 s$' "$work/top" \
    || { cat "$work/top"; return 1; }
  lost 'reconnecting failed for 4 s|nothing listens'
}
keeps_nothing() {
  start_node --gpu soft --cache "$work/cache" --grace 0s
  trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
  "$outhaul" run --node "$node" -- "$built/conformance" --jobs 2 "$client" copy/ \
    >"$work/said" 2>&1 || { grep -v '^ok' "$work/said"; return 1; }
}
# stops PROCESSES...: checks that a program continues after these processes were stopped for longer
# than a lane may be silent.
stops() {
  kill -STOP "$@"
  sleep 5
  kill -CONT "$@"
  ended
  right
}
program_stops() { program "$node" 4 && sleep 1 && stops "$program"; }
worker_stops() {
  program "$node" 8 && sleep 1 && stops $(pgrep -f "^/proc/self/exe worker .*$work/cache")
}
ends_by_itself() {
  program "$node" 1 && is_one_worker && ended && right && no_worker_within 20
}
# The worker must end within 3 s, or later on a busy machine; the node would wait 10 s for a
# network.
is_killed() {
  program "$node" 60 && is_one_worker || return 1
  kill -9 "$program"
  ended
  no_worker_within 70
}
# loses_its_listener ADDRESS LISTEN...: checks that a program continues when the listener is killed,
# and the connections break before another listener starts.
loses_its_listener() {
  program "$1" 5 || return 1
  kill -9 "$node_pid"
  end_relay
  sleep 2
  relay --listen "$address"
  "${@:2}" && ended && [ "$code" = 0 ] \
    && { [ -z "$timed" ] || grep -qE 'longest [1-7]\.' <<<"$said"; } \
    && no_worker_within 50 && return
  echo "code $code, '$said', $(workers) workers"
  tail -n 3 "$work/err"
  return 1
}
loses_its_worker() {
  program "$node" 60 || return 1
  pkill -9 -f "^/proc/self/exe worker .*$work/cache" || return 1
  ended
  lost 'no longer knows the session'
}

in_the_clear() {
  start_node --gpu soft --cache "$work/cache" --grace 10s
  trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
  parts=("arrival 8000000")
  [ -z "$timed" ] || parts+=("copy 8000000" "managed 3000000")
  for part in "${parts[@]}"; do
    read -r name bytes <<<"$part"
    expect "connections that break, $name/" conformance "$name/" "$bytes"
    end_relay
  done
  # The node still waits for programs that ended while a connection was broken.
  no_worker_within 150
  if [ -n "$timed" ]; then
    relay
    expect "a network that is gone for five seconds" gone_for_a_while "$address"
    expect "a network that does not come back" gone_for_good
    expect "a program that was stopped" program_stops
    expect "a worker that was stopped" worker_stops
    no_worker_within 150
  fi
  expect "a program that ends leaves no worker" ends_by_itself
  no_worker_within 150
  expect "a program that is killed leaves none for long" is_killed
  expect "a worker that is killed is noticed" loses_its_worker
  relay
  expect "a listener that is killed is followed by another" \
    loses_its_listener "$address" listen "$work/again"
  end_relay
  kill "$node_pid"
  expect "a node that waits for no connection carries all that one carries that does" keeps_nothing
  kill "$node_pid"
}

over_tls() {
  sealed --cut-bytes 8000000
  expect "sealed connections that break, copy/" conforms copy/
  no_worker_within 150
  # The pool knows this address.
  relay --listen "$address"
  if [ -n "$timed" ]; then
    expect "a sealed network that is gone for five seconds" gone_for_a_while ""
    relay --listen "$address"
  fi
  expect "a sealed listener that is killed is followed by another" loses_its_listener "" sealed_node
  expect "the node is still in the pool" has_line "$work/sealed" 'still in the pool'
  if [ -n "$timed" ]; then
    relay --listen "$address"
    expect "a lease with a grace of its own" lease_is_over
  fi
}

case $part in
  in_the_clear | over_tls)
    "$part"
    finish_cases
    ;;
  # Both parts wait most of the time, so they run at once, except when times count.
  all)
    export OUTHAUL_VERDICTS=$cases_verdicts
    status=0
    tests/e2e/cuts.sh $timed over_tls >"$work/over_tls" 2>&1 &
    other=$!
    [ -z "$timed" ] || wait "$other" || status=$?
    tests/e2e/cuts.sh $timed in_the_clear || status=$?
    [ -n "$timed" ] || wait "$other" || status=$?
    cat "$work/over_tls"
    exit "$status"
    ;;
  *) echo "cuts.sh: there is no part '$part'" >&2; exit 2 ;;
esac
