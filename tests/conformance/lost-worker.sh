#!/usr/bin/env bash
# Kills a worker while its program uses the device in some way. The program's call must fail at
# once, because the connection ended, and not after seconds without a heartbeat. The node must
# continue to serve. Runs once for each transport.
#
#   lost-worker.sh [--timed]     with --timed, also fails if the call took more than a second
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
suite=$built/conformance
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

"$outhaul" serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache" >"$work/node" 2>&1 &
serve=$!
node=$(address_of "$work/node" "$serve")
timed=${1:-}

serves_on() { "$outhaul" run --node "$node" -- "$suite" "$client" device/identity >"$work/again"; }

# lose WAY: kills the worker while the program uses the device in this way.
lose() {
  local way=$1 program killed_ms took_ms
  : >"$work/out"
  "$outhaul" run --node "$node" -- "$suite" --until-error "$way" "$client" \
    >"$work/out" 2>"$work/err" &
  program=$!
  await_line "$work/out" started "$program" >/dev/null || { cat "$work/err"; exit 1; }
  killed_ms=$(date +%s%3N)
  pkill -KILL -P "$serve" -f '^/proc/self/exe worker'
  wait "$program"
  took_ms=$(($(date +%s%3N) - killed_ms))

  echo "$transport, $way: after $took_ms ms"
  [ "$timed" != --timed ] \
    || expect "$transport, $way: the program's call failed within a second" \
      test "$took_ms" -lt 1000
  expect "$transport, $way: with an error that a program can handle" \
    has_line "$work/out" CUDA_ERROR_DEVICE_UNAVAILABLE
  expect "$transport, $way: and one line for the user" \
    has_line "$work/err" 'the session with .* is lost'
  expect "$transport, $way: the node serves on" serves_on
}

# lose_managed: kills the worker when only the device has what a kernel wrote to managed memory. The
# user is told before the program reads it and gets SIGBUS. Where each wait fetches all changes, the
# program reads them and gets an error.
lose_managed() {
  local program code=0
  : >"$work/out"
  OUTHAUL_TUNE=$1 "$outhaul" run --node "$node" -- "$suite" --until-error managed "$client" \
    >"$work/out" 2>"$work/err" &
  program=$!
  await_line "$work/out" started "$program" >/dev/null || { cat "$work/err"; exit 1; }
  pkill -KILL -P "$serve" -f '^/proc/self/exe worker'
  wait "$program" || code=$?
  echo "$transport, $1: exit code $code"
  expect "$transport, $1, managed memory: a line for the user" \
    has_line "$work/err" 'the session with .* is lost'
  if [ "$1" = managed=faults ] && [ "$code" = $((128 + $(kill -l BUS))) ]; then
    expect "$transport, $1, managed memory: words before the signal" \
      has_line "$work/err" 'was only there and cannot be fetched .*: reading it raises SIGBUS'
    return
  fi
  expect "$transport, $1, managed memory: what the kernel wrote" has_line "$work/out" '^read 7$'
  expect "$transport, $1, managed memory: an error and no signal" \
    has_line "$work/out" CUDA_ERROR_DEVICE_UNAVAILABLE
}

# Ends a worker as a library does that aborts: its message goes to the output of kernels, which only
# the node's log still reads.
give_up() {
  local program worker
  : >"$work/out"
  "$outhaul" run --node "$node" -- "$suite" --until-error posts "$client" \
    >"$work/out" 2>"$work/err" &
  program=$!
  await_line "$work/out" started "$program" >/dev/null
  worker=$(pgrep -P "$serve" -f '^/proc/self/exe worker')
  echo "free(): invalid pointer" >>"/proc/$worker/fd/2"
  kill -ABRT "$worker"
  wait "$program"
  await_line "$work/node" "worker $worker of .* died" >/dev/null
  expect "a worker that gives up: its last words are in the node's log" \
    has_line "$work/node" '^free\(\): invalid pointer'
}

for transport in shared-memory tcp; do
  export OUTHAUL_TRANSPORT=$transport
  echo "-- $transport"
  for way in copies posts synchronize graphs; do lose "$way"; done
  for tuned in managed=faults managed=writes managed=nothing; do lose_managed "$tuned"; done
done
give_up
finish_cases
