#!/usr/bin/env bash
# On a machine with a GPU: what share.sh and swap.sh leave out. Graphs of programs that hand results on through the host and in shared device memory.
# Builds nothing: pack.sh made the folder elsewhere. Prints tables; takes less than four minutes.
#
#   sharing-extra.sh [FOLDER [PART...]]      FOLDER is target/device unless given; parts are flow, all of them unless given
#
# GPU=soft tries the script out on the software GPU of `make build` (FOLDER is target then), with less to do. Results are left in $OUT, or in FOLDER, as
# PART.json.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
[ $# -gt 0 ] || set -- flow
status=0

flow() {
  local less=()
  [ "$gpu" = soft ] && less=(--side 256 --levels 4 --width 4 --runs 3)
  "$outhaul" bench flow --gpu "$gpu" --json "$into/flow.json" "${less[@]}"
}

for part; do
  echo "== $part"
  begin=$SECONDS
  "$part" || { status=1; echo "FAILED: $part"; }
  echo "-- $part: $((SECONDS - begin)) s"
done
exit $status
