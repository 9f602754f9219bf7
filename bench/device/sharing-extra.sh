#!/usr/bin/env bash
# On a machine with a GPU: runs measurements and checks that share.sh and swap.sh leave out. Prints
# tables. Builds nothing: pack.sh made the folder on another machine.
#
#   sharing-extra.sh [FOLDER [PART...]]      FOLDER is target/device by default; PART is one of
#     flow       graphs of programs that pass results on through the host and shared device memory
#     beside     small programs and a large one on a card that cannot keep them all
#     pieces     the sizes of pieces of copies
#     limit      a kernel that runs for longer than the node allows, while another program continues
#     python     an array that CuPy programs share by key, where no GPU can be opened
#     gdev       the Gdev paper's figures: two and four virtual GPUs under FIFO, Credit, BAND and
#                weighted shares, and copies beside kernels, with one queue (SDQ) and with several
#                (MRQ)
#     around     two tenants next to a program that opens the GPU itself: on the driver, beside a
#                node, and where the device's files are closed to it
#     rodinia    Rodinia's LUD and heartwall as two tenants; needs FOLDER/rodinia/{lud,heartwall},
#                built from Rodinia 3.1 (below)
#     resident   four programs that always want a GPU that holds three of them. OTHER is the binary
#                of a node of another build to compare with
#
# Without PARTs it runs the first five. On an H200, flow takes 80 s, mostly because 63 programs open
# the GPU; beside and pieces take 25 s each, limit and python 10 s each. gdev is to take 5 minutes,
# around 2, rodinia 4, resident 2. GPU=soft runs the script on the software GPU of `make build`
# (FOLDER is target then), with less work. Writes results to PART.json and plots in $OUT, or in
# FOLDER.
#
# Rodinia's programs, in its folder cuda, with the options of sm_90 or of the GPU at hand:
#   (cd lud; nvcc -O3 -arch=sm_90 -Icommon -o lud.out cuda/lud.cu cuda/lud_kernel.cu \
#     common/common.c)
#   (cd heartwall; nvcc -O3 -arch=sm_90 -IAVI -DcudaThreadSynchronize=cudaDeviceSynchronize \
#     -o heartwall.out main.cu AVI/avilib.c AVI/avimod.c setdevice.cu)
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
[ $# -gt 0 ] || set -- flow beside pieces limit python
status=0

flow() {
  local less=()
  [ "$gpu" = soft ] && less=(--side 256 --levels 4 --width 4 --runs 3)
  "$outhaul" bench flow --gpu "$gpu" --json "$into/flow.json" "${less[@]}"
}

beside() {
  local less=() card status=0
  if [ "$gpu" = soft ]; then
    card=$(mktemp -u)
    export OUTHAUL_SOFT_CARD=$card OUTHAUL_SOFT_MEMORY=3GiB
    less=(--beside 1,4,8 --card 1GiB --work-ms 50)
  else
    less=(--beside 1,2,4,8,12)
  fi
  "$outhaul" bench swap --gpu "$gpu" --json "$into/beside.json" --plots "$into" "${less[@]}" \
    || status=1
  [ -z "${card:-}" ] || rm -f "$card".*
  unset OUTHAUL_SOFT_CARD OUTHAUL_SOFT_MEMORY
  return $status
}

pieces() {
  local less=()
  [ "$gpu" = soft ] && less=(--size 16MiB)
  "$outhaul" bench pieces --gpu "$gpu" --json "$into/pieces.json" --plots "$into" "${less[@]}"
}

# serve OPTION...: starts a node, and sets $node to its address.
serve() {
  work=$(mktemp -d)
  "$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --cache "$work/cache" "$@" >"$work/node" 2>&1 &
  server=$!
  trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
  for _ in $(seq 100); do grep -q serving "$work/node" && break; sleep 0.1; done
  node=$(grep -o '127.0.0.1:[0-9]*' "$work/node" | tail -1)
}

limit() (
  serve --kernel-limit 2s
  now_ns() { awk '{ printf "%.0f", $1 * 1e9 }' /proc/uptime; }
  play() {
    "$outhaul" run --node "$node" --tenant "$1" -- \
      "$outhaul" bench player --rounds "$2" --until-ns "$3"
  }
  per_ms=$("$outhaul" run --node "$node" -- "$outhaul" bench player --calibrate \
    | sed 's/.*"rounds_per_ms":\([0-9]*\).*/\1/')
  play short "$per_ms" "$(($(now_ns) + 6000000000))" >"$into/limit.json" &
  if said=$(play long "$((per_ms * 60000))" "$(($(now_ns) + 60000000000))" 2>&1); then
    echo "a kernel of 60 s was not ended"
    exit 1
  fi
  echo "$said"
  # bash does not end a function on errors if the caller tests its result.
  grep -q "ran for longer than the 2 s" <<<"$said" && wait $! \
    && echo "the program beside it went on"
)

python() (
  serve
  if ! python3 -c 'import cupy' 2>/dev/null; then echo "there is no CuPy here"; exit 1; fi
  add() {
    bench/device/without-gpu.sh "$outhaul" run --node "$node" --tenant a -- \
      python3 examples/shared_memory.py 7 "$1"
  }
  for sum in 524288.0 1048576.0; do
    found=$(add 0.5)
    echo "$found"
    [ "$found" = "$sum" ] || { echo "that is to be $sum"; exit 1; }
  done
  add remove
)

gdev() {
  local seconds=4
  [ "$gpu" = soft ] && seconds=2
  draw() {
    "$outhaul" bench share --gpu "$gpu" --seconds "$seconds" --plots "$into/gdev" \
      --json "$into/gdev-$1.json" "${@:2}"
  }
  draw pairs pair50 long50 four --setting fifo,credit,band,weighted --copies joint \
    && draw copies copies --setting driver,fifo,credit,band,weighted --copies separate,joint
  # One file, because a borrowed machine returns only a limited number.
  tar -czf "$into/gdev-plots.tar.gz" -C "$into" gdev
}

around() {
  local under=$PWD/bench/device/without-gpu.sh
  [ "$gpu" = soft ] && under=/bin/false
  share() {
    "$outhaul" bench share around --gpu "$gpu" --seconds 4 --plots "$into/around" \
      --json "$into/around-$1.json" "${@:2}"
  }
  share open --setting driver,weighted \
    && share closed --setting weighted --around-under "$under"
}

rodinia() {
  local less=()
  [ "$gpu" = soft ] && less=(--seconds 14 --late 3 --loops 1 --side 256 --frames 2)
  python3 bench/device/rodinia_pair.py "$outhaul" "$folder/rodinia" "$into" --gpu "$gpu" \
    "${less[@]}"
}

resident() {
  local less=()
  if [ "$gpu" = soft ]; then
    card=$(mktemp -u)
    export OUTHAUL_SOFT_CARD=$card OUTHAUL_SOFT_MEMORY=3GiB
    less=(--card 352MiB --hold-mib 96)
  fi
  python3 bench/device/resident.py "$outhaul" --gpu "$gpu" ${OTHER:+--other "$OTHER"} "${less[@]}"
  local status=$?
  [ -z "${card:-}" ] || rm -f "$card".*
  unset OUTHAUL_SOFT_CARD OUTHAUL_SOFT_MEMORY
  return $status
}

for part; do
  echo "== $part"
  begin=$SECONDS
  "$part" || { status=1; echo "FAILED: $part"; }
  echo "-- $part: $((SECONDS - begin)) s"
done
exit $status
