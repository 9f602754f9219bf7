#!/usr/bin/env bash
# On a machine with a GPU: what share.sh and swap.sh leave out. Graphs of programs that hand results on through the host and in shared device memory
# (flow), small programs beside a large one on a card that does not hold them all (beside), and the sizes of pieces of copies (pieces).
# Builds nothing: pack.sh made the folder elsewhere. Prints tables. On an H200 flow takes 80 s, most of it for 63 programs to open the GPU; the other two
# take 25 s each.
#
#   sharing-extra.sh [FOLDER [PART...]]      FOLDER is target/device unless given; parts are flow, beside and pieces, all of them unless given
#
# GPU=soft tries the script out on the software GPU of `make build` (FOLDER is target then), with less to do. Results are left in $OUT, or in FOLDER, as
# PART.json and plots.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
[ $# -gt 0 ] || set -- flow beside pieces
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
  "$outhaul" bench swap --gpu "$gpu" --json "$into/beside.json" --plots "$into" "${less[@]}" || status=1
  [ -z "${card:-}" ] || rm -f "$card".*
  unset OUTHAUL_SOFT_CARD OUTHAUL_SOFT_MEMORY
  return $status
}

pieces() {
  local less=()
  [ "$gpu" = soft ] && less=(--size 16MiB)
  "$outhaul" bench pieces --gpu "$gpu" --json "$into/pieces.json" --plots "$into" "${less[@]}"
}

for part; do
  echo "== $part"
  begin=$SECONDS
  "$part" || { status=1; echo "FAILED: $part"; }
  echo "-- $part: $((SECONDS - begin)) s"
done
exit $status
