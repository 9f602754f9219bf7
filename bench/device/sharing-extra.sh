#!/usr/bin/env bash
# On a machine with a GPU: what share.sh and swap.sh leave out. Graphs of programs that hand results
# on through the host and in shared device memory (flow), small programs beside a large one on a
# card that does not hold them all (beside), the sizes of pieces of copies (pieces), a kernel that
# runs for longer than the node allows beside a program that goes on (limit), and an array that CuPy
# programs share by key, where no GPU can be opened (python). Builds nothing: pack.sh made the
# folder elsewhere. Prints tables. On an H200 flow takes 80 s, most of it for 63 programs to open
# the GPU; the other two of these take 25 s each, and the last two 10.
#
#   sharing-extra.sh [FOLDER [PART...]]      FOLDER is target/device unless given; all parts unless
#                                            given
#
# GPU=soft tries the script out on the software GPU of `make build` (FOLDER is target then), with
# less to do. Results are left in $OUT, or in FOLDER, as PART.json and plots.
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

# serve OPTION...: a node, whose address is said.
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
  # Errors do not end a function whose outcome is asked for.
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
