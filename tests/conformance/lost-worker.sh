#!/usr/bin/env bash
# A worker is killed while its program uses the device in one way or another: the program's call
# must fail within one second, and the node must serve on. Once for each transport.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
suite=target/release/conformance
client=$PWD/target/lib/client/libcuda.so.1
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

target/release/outhaul serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache" \
  >"$work/node" 2>&1 &
serve=$!
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
node=$(sed -n 's/.*serving.* on \([0-9.:]*\)$/\1/p' "$work/node")
[ -n "$node" ] || { cat "$work/node"; echo "lost-worker.sh: the node did not start" >&2; exit 1; }


serves_on() {
  target/release/outhaul run --node "$node" -- "$suite" "$client" device/identity >"$work/again"
}

# lose WAY: the program uses the device in this way when its worker is killed.
lose() {
  local way=$1 program killed_ms took_ms
  : >"$work/out"
  target/release/outhaul run --node "$node" -- "$suite" --until-error "$way" "$client" \
    >"$work/out" 2>"$work/err" &
  program=$!
  for _ in $(seq 100); do grep -q started "$work/out" && break; sleep 0.05; done
  grep -q started "$work/out" \
    || { cat "$work/err"; echo "lost-worker.sh: the program did not start" >&2; exit 1; }
  killed_ms=$(date +%s%3N)
  pkill -KILL -P "$serve" -f '^/proc/self/exe worker'
  wait "$program"
  took_ms=$(($(date +%s%3N) - killed_ms))

  expect "$way: the program's call failed within a second ($took_ms ms)" test "$took_ms" -lt 1000
  expect "$way: with an error that a program can handle" \
    grep -q 'CUDA_ERROR_DEVICE_UNAVAILABLE' "$work/out"
  expect "$way: and one line for the user" grep -q 'the session with .* is lost' "$work/err"
  expect "$way: the node serves on" serves_on
}

# A library that gives up says why where kernels print, which nobody reads from then on but the
# node's log.
give_up() {
  local program worker
  : >"$work/out"
  target/release/outhaul run --node "$node" -- "$suite" --until-error posts "$client" \
    >"$work/out" 2>"$work/err" &
  program=$!
  for _ in $(seq 100); do grep -q started "$work/out" && break; sleep 0.05; done
  worker=$(pgrep -P "$serve" -f '^/proc/self/exe worker')
  echo "free(): invalid pointer" >>"/proc/$worker/fd/2"
  kill -ABRT "$worker"
  wait "$program"
  for _ in $(seq 100); do
    grep -q "worker $worker of process .* died" "$work/node" && break
    sleep 0.05
  done
  expect "a worker that gives up: its last words are in the node's log" \
    grep -q '^free(): invalid pointer' "$work/node"
}

for transport in shared-memory tcp; do
  export OUTHAUL_TRANSPORT=$transport
  echo "-- $transport"
  for way in copies posts synchronize graphs; do lose "$way"; done
done
give_up
finish_cases
