#!/usr/bin/env bash
# Starts many programs at once, over TCP, on one node. All of them must run, at once or after they
# waited.
#
#   burst.sh [PROGRAMS] [OPTION...]     PROGRAMS is their number (1000); OPTIONs are those of
#                                       `outhaul serve`
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh

count=${1:-1000}
shift || true
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

cat >"$work/program.c" <<'C'
#include <stdio.h>
#include <stdlib.h>

extern int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
extern int cuCtxSynchronize(void);
extern int cuMemAlloc_v2(unsigned long long *, size_t);
extern int cuMemcpyHtoD_v2(unsigned long long, const void *, size_t);
extern int cuMemcpyDtoH_v2(void *, unsigned long long, size_t);

static void call(const char *name, int result)
{
    if (result != 0) {
        fprintf(stderr, "error %d of %s\n", result, name);
        exit(3);
    }
}

int main(void)
{
    void *context;
    unsigned long long address;
    int there = 42, back = 0;
    call("cuInit", cuInit(0));
    call("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&context, 0));
    call("cuCtxSetCurrent", cuCtxSetCurrent(context));
    call("cuMemAlloc", cuMemAlloc_v2(&address, sizeof there));
    call("cuMemcpyHtoD", cuMemcpyHtoD_v2(address, &there, sizeof there));
    call("cuMemcpyDtoH", cuMemcpyDtoH_v2(&back, address, sizeof back));
    return back == there ? 0 : 4;
}
C
g++ -x c -O1 "$work/program.c" -o "$work/program" -L"$built/outhaul-client" -l:libcuda.so.1 \
  -Wl,--allow-shlib-undefined

"$built/outhaul" serve --listen 127.0.0.1:0 --gpu soft --cache "$work/cache" "$@" \
  >"$work/node" 2>&1 &
serve=$!
for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
node=$(grep serving "$work/node" | grep -oE '[0-9.]+:[0-9]+$')
before=$(find "/proc/$serve/fd" -type l | wc -l)

begin=$(date +%s)
for i in $(seq "$count"); do
  OUTHAUL_TRANSPORT=tcp "$built/outhaul" run --node "$node" -- "$work/program" \
    >"$work/out.$i" 2>&1 &
  programs[i]=$!
done
right=0
for i in $(seq "$count"); do
  wait "${programs[$i]}" && right=$((right + 1)) || echo "exit code $?: $(tail -n 1 "$work/out.$i")"
done
waited=$(cat "$work"/out.* | grep -cE 'waiting for one|asking again' || true)
sleep 7
after=$(find "/proc/$serve/fd" -type l | wc -l)
echo "$right of $count programs ran, in $(($(date +%s) - begin - 7)) s; $waited waited;" \
  "the node had $before open files before, and $after after"
kill -0 "$serve" && [ "$right" -eq "$count" ] && [ "$after" -le "$before" ]
