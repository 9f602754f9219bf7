#!/usr/bin/env bash
# Checks what a program gets when a process or network between it and its GPU breaks, stops or
# changes data: a message, an error that it can handle, and never a wrong result. Also checks that a
# stopped program or a long kernel does not end a session. The cases run at once.
#
#   faults.sh [--timed] [FILTER]     FILTER is part of a case's name
#
# With --timed, the cases run one after the other, the message must come within ten seconds, and
# there are more cases. Some of these need root and network namespaces.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

within_s=60
timed=
if [ "${1:-}" = --timed ]; then
  within_s=10
  timed=1
  shift
fi
filter=${1:-}
work=$(mktemp -d)
names=()
said=0
trap 'kill $(jobs -p) 2>/dev/null || true; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
chmod 755 "$work"

cat >"$work/program.py" <<'PYTHON'
"""MODE SECONDS: uses the device in that way.

Prints "started", and at the end its result. Exit code 0 is success, 3 a CUDA error, 4 wrong data.
"""
import ctypes
import os
import signal
import sys
import threading
import time

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
mode, end = sys.argv[1], time.monotonic() + float(sys.argv[2])
cuda = ctypes.CDLL("libcuda.so.1")
SPIN = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 for_ns)
{
  .reg .u64 %r<4>;
  .reg .pred %p;
  ld.param.u64 %r0, [for_ns];
  mov.u64 %r1, %globaltimer;
again:
  mov.u64 %r2, %globaltimer;
  sub.u64 %r3, %r2, %r1;
  setp.lt.u64 %p, %r3, %r0;
  @%p bra again;
  ret;
}
"""


def finish(code, word):
    # Other threads may still use the device.
    print(word, flush=True)
    os._exit(code)


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result != 0:
        finish(3, f"error {result} of {name}")


def copies(context, bytes_, started):
    call("cuCtxSetCurrent", context)
    address, back = ctypes.c_uint64(), ctypes.create_string_buffer(bytes_)
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(bytes_))
    turn = 0
    while time.monotonic() < end:
        content = bytes((i * 7 + turn) & 0xFF for i in range(256)) * (bytes_ // 256)
        call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(bytes_))
        call("cuMemcpyDtoH_v2", back, address, ctypes.c_size_t(bytes_))
        if back.raw != content:
            finish(4, "wrong")
        turn += 1
        started.set()


def kernel():
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    for_ns = ctypes.c_uint64(int(float(sys.argv[2]) * 1e9))
    call("cuModuleLoadData", ctypes.byref(module), SPIN)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"spin")
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(for_ns))
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)
    print("started", flush=True)
    call("cuCtxSynchronize")


context = ctypes.c_void_p()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
if mode == "kernel":
    kernel()
elif mode == "idle":
    print("started", flush=True)
    time.sleep(float(sys.argv[2]))
    call("cuCtxSynchronize")
    # The time includes the start of the process.
    print(f"{time.process_time():.2f} s of processor time")
else:
    # Either small copies from many threads at once, or large ones over several lanes.
    bytes_, count = (4096, 8) if mode == "small" else (4 << 20, 1)
    started = threading.Event()
    threads = [
        threading.Thread(target=copies, args=(context, bytes_, started)) for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    started.wait()
    print("started", flush=True)
    for thread in threads:
        thread.join()
finish(0, "right")
PYTHON

# serve COMMAND...: starts a node through the command, and sets $node and $serve.
serve() {
  rm -f "$here.node"
  "$@" "$outhaul" serve --listen "${address:-127.0.0.1}:0" --insecure --gpu soft \
    --cache "$work/cache" >"$here.node" 2>&1 &
  serve=$!
  node=$(await_line "$here.node" serving | grep -oE '[0-9.]+:[0-9]+$')
}

# between ACTION...: starts a proxy in front of the node, which acts once $here.now exists.
between() {
  # The file may have the output of an earlier proxy.
  rm -f "$here.proxy"
  python3 tests/e2e/faults_proxy.py "$node" "$here.now" "$@" >"$here.proxy" 2>&1 &
  node=127.0.0.1:$(await_line "$here.proxy" '^[0-9]+$')
}

# program MODE SECONDS: starts the program, and returns when it uses the device.
program() {
  # The file may have the output of an earlier program.
  rm -f "$here.out"
  OUTHAUL_GRACE=0 OUTHAUL_TRANSPORT=${transport:-tcp} OUTHAUL_LANES=4 \
    ${inside:-} "$outhaul" run --node "$node" -- python3 "$work/program.py" "$@" \
    >"$here.out" 2>"$here.err" &
  program=$!
  await_line "$here.out" '^started$' >/dev/null
  sleep 0.5
}

now_ms() { date +%s%3N; }

# ends SECONDS: checks that the program ends within this time. Sets $took_ms and $code.
ends() {
  local begin
  begin=$(now_ms)
  while kill -0 "$program" 2>/dev/null; do
    took_ms=$(($(now_ms) - begin))
    if [ "$took_ms" -ge $(($1 * 1000)) ]; then
      kill -CONT "$program"; kill -KILL "$program"
      echo "it still runs after $took_ms ms; it printed: $(cat "$here.err")"
      return 1
    fi
    sleep 0.05
  done
  code=0
  wait "$program" || code=$?
  took_ms=$(($(now_ms) - begin))
}

# loses WORDS: checks that within the limit the program gets an error that it can handle, and its
# user a line with these words.
loses() {
  ends "$within_s" || return 1
  grep -qE "$1" "$here.err" || echo "without '$1':"
  echo "after $took_ms ms: $(grep -m 1 'is lost' "$here.err") ($(tail -n 1 "$here.out"))"
  [ "$code" -eq 3 ] && grep -q 'is lost' "$here.err" && grep -qE "$1" "$here.err"
}

# goes_on: checks that the program ends with right results within the limit.
goes_on() {
  ends 120 || return 1
  echo "$(tail -n 2 "$here.out" | paste -sd ' ') $(cat "$here.err")"
  [ "$code" -eq 0 ]
}

worker() { pgrep -P "$serve" -f '^/proc/self/exe worker'; }

worker_stopped() {
  serve; program small 60
  kill -STOP "$(worker)"
  loses 'no sign of life'
}

held_up() {
  serve; between stall "$@"; program copies 60
  touch "$here.now"
  # Both sides notice. If the node is first, its worker ends, and with it the connections.
  loses 'holds (that connection|it) up|no sign of life|the connection ended'
}

swallowed() {
  serve; between swallow; program "$1" 60
  touch "$here.now"
  loses 'no sign of life'
}

# Flips a bit early or late in the data that arrives together.
flipped() {
  local byte
  serve
  for byte in 3 20 70 40000; do
    rm -f "$here.now"
    node=$(await_line "$here.node" serving | grep -oE '[0-9.]+:[0-9]+$')
    between flip "$1" "$2" "$byte"
    program copies 20
    touch "$here.now"
    loses 'changed on their way' || return 1
    grep -q flipped "$here.proxy" || return 1
  done
}

# A program that SIGPIPE ends would have exit code 141.
reset() {
  local round
  serve
  for round in 1 2 3 4 5 6; do
    rm -f "$here.now"
    node=$(await_line "$here.node" serving | grep -oE '[0-9.]+:[0-9]+$')
    between break
    OUTHAUL_TUNE=spin=1 program small 20
    touch "$here.now"
    loses 'is lost' || { echo "round $round: exit code $code"; return 1; }
  done
}

program_stopped() {
  serve; program "$1" 16
  kill -STOP "$program"
  sleep 14
  kill -CONT "$program"
  goes_on
}

busy() {
  serve; program kernel 13
  goes_on
}

idle() {
  serve; program idle 13
  goes_on || return 1
  [ -z "$timed" ] || awk '/processor time/ { exit $1 > 1 }' "$here.out"
}

listener_stopped() {
  serve
  kill -STOP "$serve"
  OUTHAUL_TRANSPORT=$transport "$outhaul" run --node "$node" -- \
    python3 "$work/program.py" small 10 >"$here.out" 2>"$here.err" &
  program=$!
  ends "$within_s" || return 1
  echo "after $took_ms ms: $(cat "$here.err")"
  grep -q 'no sign of life' "$here.err"
}

# Starts a node whose user may have few threads, and a program that uses it while others start. The
# node tells the others to ask again, they do, and no program loses its session.
few_threads() {
  local user=64871 i begun=0 asking=0 code
  chmod 777 "$work"
  serve setpriv --reuid "$user" --regid "$user" --clear-groups prlimit --nproc=100 env "HOME=$work"
  program small 12
  for i in $(seq 12); do
    timeout 30 "$outhaul" run --node "$node" -- python3 "$work/program.py" small 1 \
      >/dev/null 2>"$here.$i" &
    others[i]=$!
  done
  for i in $(seq 12); do
    code=0
    wait "${others[i]}" || code=$?
    case $code in 0) begun=$((begun + 1)) ;; 124) asking=$((asking + 1)) ;; esac
  done
  echo "$begun of 12 others had a session, $asking were still asking;" \
    "the first that waited: $(cat "$here".[0-9]* | head -n 1)"
  goes_on && kill -0 "$serve" && [ "$begun" -ge 1 ] && [ $((begun + asking)) -eq 12 ] \
    && grep -q 'asking again' "$here".[0-9]*
}

# Connects two network namespaces by a cable that loses all packets from some point on.
cable_cut() {
  local name=oh$BASHPID worker
  ip netns add "$name"
  # shellcheck disable=SC2064
  trap "kill \$(jobs -p) 2>/dev/null
    ip netns del $name
    ip link del $name 2>/dev/null || true" EXIT
  ip link add "$name" type veth peer name eth0 netns "$name"
  ip addr add "10.213.$1.1/24" dev "$name" && ip link set "$name" up
  ip -n "$name" addr add "10.213.$1.2/24" dev eth0 && ip -n "$name" link set eth0 up \
    && ip -n "$name" link set lo up
  address=10.213.$1.1 serve
  inside="ip netns exec $name" program "$2" 60
  worker=$(worker)
  # Makes each side send to a machine that does not exist.
  ip -n "$name" neigh replace "10.213.$1.1" lladdr 02:00:00:00:00:01 dev eth0 nud permanent
  ip neigh replace "10.213.$1.2" lladdr 02:00:00:00:00:02 dev "$name" nud permanent
  loses 'no sign of life' || return 1
  for _ in $(seq 30); do kill -0 "$worker" 2>/dev/null || return 0; sleep 0.1; done
  echo "its worker is still there"; return 1
}

# begin NAME COMMAND...: starts a case; untimed, it runs at once with the others.
begin() {
  local name=$1 here
  shift
  [[ $name == *"$filter"* ]] || return 0
  here=$work/${#names[@]}
  names+=("$name")
  (
    set +e
    trap 'kill -CONT $(jobs -p) 2>/dev/null; kill $(jobs -p) 2>/dev/null' EXIT
    "$@" >"$here.said" 2>&1
    echo $? >"$here.code"
  ) &
  [ -z "$timed" ] || wait $!
}

# settle: waits for all cases that were started, and prints their verdicts.
settle() {
  wait
  while [ "$said" -lt "${#names[@]}" ]; do
    local here=$work/$said
    is_ok() { paste -sd " " "$here.said"; [ "$(cat "$here.code")" = 0 ]; }
    expect "${names[$said]}" is_ok
    said=$((said + 1))
  done
}

for transport in tcp shared-memory; do
  begin "a worker that is stopped, $transport" worker_stopped
  begin "a program that is stopped for 14 s, $transport" program_stopped small
done
transport=tcp
begin "a program with large copies that is stopped for 14 s" program_stopped copies
begin "a kernel of 13 s" busy
begin "13 s of idleness" idle
begin "a proxy that swallows small calls" swallowed small
begin "a proxy that swallows large copies" swallowed copies
begin "a bulk lane that is held up both ways" held_up 3 both
begin "a bulk lane that is held up towards the node" held_up 3 to-node
begin "a bulk lane that is held up towards the program" held_up 5 to-program
begin "the callback lane that is held up" held_up 1 to-node
if [ -n "$timed" ]; then
  begin "a network that is cut, small calls" cable_cut 1 small
  begin "a network that is cut, large copies" cable_cut 2 copies
  begin "a network that is cut, a program that waits for a kernel" cable_cut 3 kernel
  begin "a listener without threads" few_threads
fi
settle
for transport in tcp shared-memory; do
  begin "a listener that is stopped, $transport" listener_stopped
done
transport=tcp
begin "connections that are reset" reset
begin "flipped bits in commands" flipped 0 to-node
begin "flipped bits in answers" flipped 0 to-program
begin "flipped bits in pieces to the device" flipped 2 to-node
begin "flipped bits in pieces to the program" flipped 3 to-program
settle
finish_cases
