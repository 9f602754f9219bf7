#!/usr/bin/env bash
# On a machine with a GPU: runs `frameloop` at a headset's resolution and rate, natively and on a
# node, as whole pixels, NV12 and JPEG, and compares the checksums. Then runs `outhaul bench frames
# --tenants`: more and more programs that draw at a fixed rate on one node. Builds nothing: pack.sh
# made the folder on another machine.
#
#   frames.sh [FOLDER [OPTION...]]      FOLDER is target/device by default; OPTIONs are those of
#                                       `outhaul bench frames`
#
# Takes about two minutes. GPU=soft runs the script on the software GPU of `make build`, with the
# program of `tests/e2e/build.sh examples/frameloop` (FOLDER is target then). Writes results to
# frameloop-*.csv, frames.json, frames.csv and frames-plots.tar.gz in $OUT, or in FOLDER.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
. tests/e2e/cases.sh

if [ "$gpu" = soft ]; then
  frameloop=$folder/e2e/examples/frameloop
  native=("$outhaul" run --gpu soft --)
  picture=(--size 240x136 --objects 40 --rate 30 --frames 60)
else
  frameloop=$folder/examples/frameloop
  native=()
  picture=(--objects 1000 --rate 90 --frames 450)
fi
chmod +x "$frameloop"
start_node --gpu "$gpu"

# both NAME OPTION...: draws the same frames natively and on the node, and compares them.
both() {
  local name=$1 here=$into/frameloop-$1-native.csv there=$into/frameloop-$1-remote.csv
  shift
  echo "$name, natively:"
  "${native[@]}" "$frameloop" "${picture[@]}" "$@" >"$here"
  echo "$name, remotely:"
  "$outhaul" run --node "$node" -- "$frameloop" "${picture[@]}" "$@" >"$there"
  diff <(cut -d, -f7 "$here") <(cut -d, -f7 "$there") \
    || { echo "frames.sh: pictures differ" >&2; return 1; }
}
both rgba
both nv12 --nv12
both jpeg --jpeg 85

[ $# -gt 0 ] || set -- --tenants 1,2,3,4,5
"$outhaul" bench frames --gpu "$gpu" --json "$into/frames.json" --csv "$into/frames.csv" \
  --plots "$into/frames-plots" "$@"
# One file, because a borrowed machine returns only a limited number.
tar -czf "$into/frames-plots.tar.gz" -C "$into" frames-plots
