#!/usr/bin/env bash
# On a link that one connection fills, large copies stop using the bulk lanes, unless the user asked
# for lanes. The copied data must be right in both cases.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# start LOG COMMAND...: starts a listener, and sets $address to the address that it prints.
start() {
  "${@:2}" >"$1" 2>&1 &
  address=$(address_of "$1" $!)
}

leaves_lanes() { has_line "$work/err" 'large copies go on one connection'; }
keeps_lanes() { ! leaves_lanes; }

start "$work/node" "$outhaul" serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache"
node=$address
start "$work/relay" "$outhaul" bench relay --to "$node" --link 0.94g
relay=$address

# Copies 8 MiB to the device twelve times, each time with other content, and reads the last back.
cat >"$work/copies.py" <<'PYTHON'
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
BYTES = 8 << 20


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    assert result == 0, f"{name}: {result}"


context, address = ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(BYTES))
for turn in range(12):
    content = bytes((i * 7 + turn) & 0xFF for i in range(256)) * (BYTES // 256)
    call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(BYTES))
back = ctypes.create_string_buffer(BYTES)
call("cuMemcpyDtoH_v2", back, address, ctypes.c_size_t(BYTES))
assert back.raw == content, "the last copy returns other data"
PYTHON
copies() {
  OUTHAUL_LOG=1 OUTHAUL_TRANSPORT=tcp "$outhaul" run --node "$1" -- \
    python3 "$work/copies.py" 2>"$work/err" \
    || { cat "$work/err"; return 1; }
}
unset OUTHAUL_LANES
expect "copies over 0.94 Gb/s are right" copies "$relay"
expect "0.94 Gb/s: the bulk lanes are left out" leaves_lanes
OUTHAUL_LANES=4 expect "copies over 0.94 Gb/s on lanes that were asked for are right" \
  copies "$relay"
expect "0.94 Gb/s: lanes that were asked for stay" keeps_lanes
finish_cases
