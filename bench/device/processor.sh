#!/usr/bin/env bash
# On a machine with a GPU and PyTorch: measures the CPU time, of all threads, that a training step
# takes natively, in a remote client and in its worker. Also measures what both take while the
# program sleeps. The client runs where no /dev/nvidia* can be opened. Builds nothing: pack.sh made
# the folder on another machine.
#
#   processor.sh FOLDER [CASE...]     CASE is a case of models.py; resnet50-bf16 by default
#     STEPS='40 240'     steps of a short and a long run, whose difference gives the time of a step
#     REPEATS=3          number of differences; prints all, and their medians
#     LIMIT_S=60         time limit of one run, in seconds
#     TRANSPORTS='tcp shared-memory'
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
chmod +x bench/device/without-gpu.sh
read -r few many <<<"${STEPS:-40 240}"
read -ra transports <<<"${TRANSPORTS:-tcp shared-memory}"
cases=("$@")
[ $# -gt 0 ] || [ "$gpu" = soft ] || cases=(resnet50-bf16)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
ticks=$(getconf CLK_TCK)

"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --cache "$work/cache" >"$work/node.log" 2>&1 &
serving=$!
for _ in $(seq 300); do grep -q ' on 127' "$work/node.log" && break; sleep 0.1; done
node=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$work/node.log" | head -n 1)
[ -n "$node" ] || { cat "$work/node.log"; echo "processor.sh: the node did not start" >&2; exit 1; }

sleeper='import ctypes, sys, time
cuda, context, memory = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
calls = (lambda: cuda.cuInit(0), lambda: cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
         lambda: cuda.cuCtxSetCurrent(context),
         lambda: cuda.cuMemAlloc_v2(ctypes.byref(memory), 4096),
         lambda: cuda.cuMemsetD8_v2(memory, 1, ctypes.c_size_t(4096)), cuda.cuCtxSynchronize)
assert not any(call() for call in calls)
time.sleep(int(sys.argv[1]) / 100)'

# Prints the CPU time of the node's workers that have ended, in ms.
of_workers() {
  awk -v ticks="$ticks" '{ sub(/.*\) /, ""); print ($14 + $15) * 1000 / ticks }' \
    "/proc/$serving/stat"
}

# spent WAY COMMAND...: prints the CPU time of the program and of its worker, in ms.
spent() {
  local way=$1 before after
  shift
  local TIMEFORMAT='%U %S' run=(timeout "${LIMIT_S:-60}" "$@")
  if [ "$gpu" = soft ]; then
    case $way in
      native) run=("$outhaul" run --gpu soft -- "${run[@]}") ;;
      *) run=(env OUTHAUL_TRANSPORT="$way" "$outhaul" run --node "$node" -- "${run[@]}") ;;
    esac
  elif [ "$way" != native ]; then
    run=(env OUTHAUL_TRANSPORT="$way" PLACEHOLDER=/dev/nvidiactl bench/device/without-gpu.sh
      "$outhaul" run --node "$node" -- "${run[@]}")
  fi
  before=$(of_workers)
  { time "${run[@]}" >"$work/out" 2>"$work/err" || tail -n 3 "$work/err" >&2; } 2>"$work/time"
  sleep 1 # the listener reaps the worker meanwhile
  after=$(of_workers)
  awk -v before="$before" -v after="$after" \
    'END { print ($1 + $2) * 1000, after - before }' "$work/time"
}

# row NAME FEW MANY COMMAND...: measures runs of both lengths, which replace LENGTH in the command.
row() {
  local name=$1 few=$2 many=$3 way
  shift 3
  for way in native "${transports[@]}"; do
    for _ in $(seq "${REPEATS:-3}"); do
      echo "$name $way $((many - few))" \
        "$(spent "$way" "${@/LENGTH/$few}") $(spent "$way" "${@/LENGTH/$many}")"
    done
  done
}

for case in "${cases[@]}"; do
  row "$case" "$few" "$many" python3 -P bench/device/models.py "$case" LENGTH
done >"$work/rows"
# The sleeper sleeps for so many times 10 ms.
row idle 100 600 python3 -c "$sleeper" LENGTH >>"$work/rows"
python3 - "$work/rows" <<'P'
import statistics, sys

found = {}
for line in open(sys.argv[1]):
    name, way, count, *times = line.split()
    few, few_worker, many, many_worker = map(float, times)
    found.setdefault((name, way), []).append(
        ((many - few) / int(count), (many_worker - few_worker) / int(count))
    )
print("ms of CPU time per step; idle: per 10 ms")
print(
    f"{'case':<20} {'way':<14} {'program':>9} {'worker':>9} {'over native':>12}"
    "   all, program + worker"
)
for (name, way), pairs in found.items():
    program, worker = (statistics.median(part) for part in zip(*pairs))
    native = statistics.median(first for first, _ in found[name, "native"])
    ratio = f"{(program + worker) / native:.2f}" if native > 0.05 else "-"
    every = " ".join(f"{a:.2f}+{b:.2f}" for a, b in pairs)
    print(f"{name:<20} {way:<14} {program:>9.3f} {worker:>9.3f} {ratio:>12}   {every}")
P
