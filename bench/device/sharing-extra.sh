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
#
# Without PARTs it runs all. On an H200, flow takes 80 s, mostly because 63 programs open the GPU;
# beside and pieces take 25 s each, limit and python 10 s each. GPU=soft runs the script on the
# software GPU of `make build` (FOLDER is target then), with less work. Writes results to PART.json
# and plots in $OUT, or in FOLDER.
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

for part; do
  echo "== $part"
  begin=$SECONDS
  "$part" || { status=1; echo "FAILED: $part"; }
  echo "-- $part: $((SECONDS - begin)) s"
done
exit $status
