#!/usr/bin/env bash
# Checks that a session is charged for everything that it holds on a GPU, on a software GPU whose
# contexts, code, streams and heaps take memory as a real one's do. OUTHAUL_ACCOUNT_STEPS sets the
# length of the random walk.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
steps=${OUTHAUL_ACCOUNT_STEPS:-1000}

cat >"$work/program.py" <<'PYTHON'
"""WHAT: does what the tenant's limit forbids, and prints how that went, in one line."""
import ctypes
import random
import sys

sys.path.insert(0, "bench/device")
import accounts

MIB = accounts.MIB


class Sized(accounts.Program):
    """A program that asks for what it is told."""

    wanted = 0

    def bytes(self):
        return self.wanted

    def tries(self, kind, wanted):
        self.wanted = wanted
        return self.step(kind, 1)


what = sys.argv[1]
try:
    program = Sized(MIB)
    free = program.left()
    if what == "variable":
        # 48 of 64 MiB are left, and a program's code takes 2.
        said = [program.tries(kind, 80 * MIB) for kind in ("module", "library")]
        print(said, program.left() - free, program.tries("module", 40 * MIB))
    elif what == "stacks":
        code = program.cuda.cuCtxSetLimit(accounts.STACK, ctypes.c_size_t(500 * 1024))
        size = ctypes.c_size_t()
        after = program.cuda.cuCtxSynchronize()
        program.call("cuCtxGetLimit", ctypes.byref(size), accounts.STACK)
        print(code or after, size.value, program.left() - free)
    elif what == "heap":
        # A launch is not refused. What it takes is charged, and then nothing is left.
        program.call("cuCtxSetLimit", accounts.MALLOC_HEAP, ctypes.c_size_t(100 * MIB))
        program.launch()
        print(program.left(), program.tries("alloc", 4 * MIB))
    elif what == "streams":
        # 96 fit. A stream is made without waiting, so a refusal is seen only later.
        codes = {program.cuda.cuStreamCreate(ctypes.byref(ctypes.c_void_p()), 1) for _ in range(120)}
        while program.cuda.cuCtxSynchronize():
            pass
        print(codes <= {0, 2}, program.left(), program.tries("alloc", 4 * MIB))
    else:
        program.tries("alloc", 8 * MIB)
        print(program.left() // MIB, flush=True)
        sys.stdin.readline()
except accounts.Error as error:
    print(error)
PYTHON

OUTHAUL_SOFT_CONTEXT=16MiB OUTHAUL_SOFT_MEMORY=1GiB \
  start_node --gpu soft --memory a=64MiB --memory tiny=8MiB --memory wide=200MiB
# of TENANT WHAT: what the program prints.
of() { "$outhaul" run --node "$node" --tenant "$1" -- python3 "$work/program.py" "$2" 2>&1; }
# equals FOUND EXPECTED: checks that both are the same.
equals() { [ "$1" = "$2" ] || { echo "found '$1', expected '$2'"; return 1; }; }

words() {
  of tiny free | grep -E 'takes 16 MiB of GPU 0, but of the 8 MiB .* 8 MiB are left; raise the limit' \
    && of tiny free | grep -E 'Ctx[A-Za-z]+ 2$'
}
shown() {
  local free
  coproc holder { of a free; }
  read -r free <&"${holder[0]}" && equals "$free" 40 || return 1
  "$outhaul" top --json --node "$node" >"$work/top.json"
  echo >&"${holder[1]}"
  python3 -c 'import json, sys
(session,) = json.load(open(sys.argv[1]))["sessions"]
print(*(f"{key} {value}" for key, value in session["memory"][0].items()))' "$work/top.json" \
    | grep -x "bytes $((24 << 20)) overhead_bytes $((16 << 20))"
}
expect "a context that does not fit is refused with words" words
expect "sessions and their overhead are shown" shown
expect "a variable that does not fit is refused, and takes nothing" \
  equals "$(of a variable)" "['refused', 'refused'] 0 module"
expect "stacks that do not fit are refused, and the limit is the one before" \
  equals "$(of a stacks)" "2 1024 0"
expect "a heap is charged at the launch that makes it" equals "$(of a heap)" "0 refused"
expect "streams that do not fit are refused" equals "$(of a streams)" "True 0 refused"
cases_limit_s=900 run_case "random walk" python3 bench/device/accounts.py --gpu soft \
  --outhaul "$outhaul" --steps "$steps" --brief
OUTHAUL_TRANSPORT=tcp cases_limit_s=900 run_case "random walk over TCP" python3 \
  bench/device/accounts.py --gpu soft --outhaul "$outhaul" --steps "$((steps / 5))" --seed 7 --brief
finish_cases
