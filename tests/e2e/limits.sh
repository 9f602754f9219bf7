#!/usr/bin/env bash
# Checks programs without standard descriptors, and programs and nodes with low limits. A program
# gets right results, or an error and words that name the limit. It never gets a signal.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
chmod 755 "$work"
LOG_BYTES_MAX=$((64 << 20))

cat >"$work/program.py" <<'PYTHON'
"""RESULT [CLOSE]: copies to the device and back, and writes how that went to the file RESULT.

With CLOSE, closes the standard descriptors after cuInit. Writes to them all the time.
"""
import ctypes
import fcntl
import os
import signal
import sys

# Python itself ignores the signal.
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
BYTES = 1 << 20
PINNED_BYTES = 8 << 20
opened = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
result = fcntl.fcntl(opened, fcntl.F_DUPFD, 3)
os.close(opened)
cuda = ctypes.CDLL("libcuda.so.1")


def finish(code, words):
    os.write(result, words.encode())
    os._exit(code)


def print_everywhere():
    for number in range(3):
        try:
            os.write(number, b"output\n")
        except OSError:
            pass


def call(name, *arguments):
    print_everywhere()
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        finish(3, f"error {code} of {name}")


def size(bytes_):
    return ctypes.c_size_t(bytes_)


call("cuInit", 0)
if "CLOSE" in sys.argv:
    for number in range(3):
        os.close(number)
context, address, managed = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64()
pinned = ctypes.c_void_p()
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(address), size(BYTES))
call("cuMemHostAlloc", ctypes.byref(pinned), size(PINNED_BYTES), 0)
call("cuMemAllocManaged", ctypes.byref(managed), size(BYTES), 1)
back = ctypes.create_string_buffer(BYTES)
for turn in range(1, 30):
    ctypes.memset(pinned, turn, PINNED_BYTES)
    call("cuMemcpyHtoD_v2", address, pinned, size(BYTES))
    call("cuMemcpyDtoH_v2", back, address, size(BYTES))
    if back.raw != bytes([turn]) * BYTES:
        finish(4, "wrong")
if "CLOSE" in sys.argv or "CLOSED" in sys.argv:
    places = [f"/proc/self/fd/{number}" for number in range(3)]
    taken = [os.readlink(place) for place in places if os.path.exists(place)]
    if taken:
        finish(5, f"the library took {taken}")
finish(0, "right")
PYTHON

# program SHELL_WORDS ARGUMENT...: runs the program after these words of a shell, on $node or in the
# process if that is empty. Sets $code.
program() {
  local gpu=(--gpu soft)
  [ -z "$node" ] || gpu=(--node "$node")
  code=0
  : >"$work/result"
  chmod 666 "$work/result"
  OUTHAUL_TRANSPORT=$transport timeout 30 ${as:-} bash -c "$1 exec \"\$@\"" bash \
    "$outhaul" run --unchecked "${gpu[@]}" -- \
    sh -c "exec python3 \"\$@\" ${streams:-}" sh "$work/program.py" "$work/result" "${@:2}" \
    >/dev/null 2>"$work/err" || code=$?
}
goes_well() {
  program "$@"
  echo "exit code $code: $(cat "$work/result") $(grep -av '^output$' "$work/err" | head -n 1)"
  [ "$code" = 0 ] && [ "$(cat "$work/result")" = right ]
}
# fails_with WORDS ...: checks that the program gets an error, and its user a line with these words.
fails_with() {
  program "${@:2}"
  [ "$code" = 3 ] || { echo "exit code $code: $(cat "$work/result" "$work/err")"; return 1; }
  has_line "$work/err" "$1"
}
# refused_node WORDS LIMIT: checks that a node with this limit does not start, and says these words.
refused_node() {
  timeout 30 prlimit "$2" "$outhaul" serve --listen 127.0.0.1:0 --gpu soft \
    --cache "$work/cache" >"$work/err" 2>&1 || true
  has_line "$work/err" "$1"
}
# refused_node_of_few_threads WORDS: checks that a node says these words with each of these limits,
# and that its keeper ends with it.
refused_node_of_few_threads() {
  local threads home=$work/home
  mkdir -m 777 -p "$home"
  for threads in 3 7 10; do
    HOME=$home timeout 30 $as prlimit --nproc=$threads "$outhaul" serve --listen 127.0.0.1:0 \
      --gpu soft --cache "$home/cache" >"$work/err" 2>&1 || true
    has_line "$work/err" "$1" || { echo "with $threads threads"; return 1; }
    ! pgrep -u 64872 -f ' keeper ' || { echo "left by a node with $threads threads"; return 1; }
  done
}
# refused_run WORDS: checks that `outhaul run` says these words where it can start no thread.
refused_run() {
  $as bash -c 'ulimit -u 1; exec "$@"' bash "$outhaul" run --node "$node" -- true \
    2>"$work/err" || true
  has_line "$work/err" "$1"
}
# A node whose log is a file at its limit goes on.
full_log() {
  local node serve
  truncate -s $((LOG_BYTES_MAX - 300)) "$work/full"
  prlimit --fsize=$LOG_BYTES_MAX "$outhaul" serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache" \
    >"$work/address" 2>>"$work/full" &
  serve=$!
  node=$(address_of "$work/address" "$serve")
  goes_well "" && goes_well "" && kill "$serve" || return 1
  [ "$(stat -c %s "$work/full")" = $LOG_BYTES_MAX ]
}

"$outhaul" serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache" >"$work/node" 2>&1 &
remote=$(address_of "$work/node" "$!")
for transport in tcp shared-memory auto; do
  node=$remote
  [ "$transport" != auto ] || node=
  way=${node:+$transport}
  way=${way:-in the process}
  streams='<&- >&- 2>&-' expect "$way: no standard descriptors" goes_well "" CLOSED
  expect "$way: standard descriptors that are closed later" goes_well "" CLOSE
  expect "$way: files of at most 8 MiB less a byte" goes_well "ulimit -f 8191;"
done
node=$remote transport=auto
expect "files of at most 4 KiB: not in shared memory, but right" goes_well "ulimit -f 4;"
expect "few addresses" fails_with 'no more than .* bytes of addresses.*ulimit -v' "ulimit -v 8000000;"
expect "8 files" fails_with 'may open no more files.*ulimit -n' "ulimit -n 8;"
transport=shared-memory
expect "shared memory and small files" fails_with 'files of at most 4096 bytes.*ulimit -f' \
  "ulimit -f 4;"
expect "a node with 96 files" refused_node 'no more than 96 files, and a node needs' --nofile=96
expect "a node with a full log" full_log
if [ "$(id -u)" = 0 ]; then
  transport=tcp as='setpriv --reuid 64872 --regid 64872 --clear-groups'
  expect "no further thread" fails_with 'cannot start a thread.*ulimit -u' "ulimit -u 1;"
  expect "no further thread for a command" refused_run 'cannot start a thread.*ulimit -u'
  expect "threads for a part of a session" fails_with 'one of its threads cannot start' \
    "ulimit -u 9;"
  # Last, since the processes of these nodes count for a moment.
  expect "few threads for a node" refused_node_of_few_threads \
    'the node can start no more threads.*ulimit -u'
else
  verdict skipped "few threads" "only root can become a user without processes"
fi
finish_cases
