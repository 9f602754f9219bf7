#!/usr/bin/env bash
# On a machine with a GPU: draws the frames of examples/frameloop.cu, as whole pixels and as JPEG,
# natively, on a node, and over links of several rates and with switches on the way. Prints how many
# were in time, their ages, and the times of a frame at rising loads. Builds nothing: pack.sh made
# the folder on another machine.
#
#   frames_drawn.sh [FOLDER]      FOLDER is target/device by default
#     LINKS=10g,25g,40g,100g,hops:0,hops:1,hops:2      links, as in `outhaul bench --link`
#
# Takes about four minutes. Writes to $OUT, or to FOLDER: frame.jpg, a drawn frame;
# frames-drawn.json, which `outhaul bench --from frames-drawn.json --plots DIR` draws anywhere;
# frames-drawn-plots.tar.gz, the same drawn here. GPU=soft runs the script on the software GPU of
# `make build`, with the program of `tests/e2e/build.sh examples/frameloop` (FOLDER is target then).
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
. bench/device/tools.sh
trap 'rm -rf "$tools"' EXIT
frameloop=$folder/examples/frameloop
[ "$gpu" != soft ] || frameloop=$folder/e2e/examples/frameloop
chmod +x "$frameloop"
links=${LINKS:-10g,25g,40g,100g,hops:0,hops:1,hops:2}

python3 bench/device/frames_drawn.py "$outhaul" "$frameloop" "$gpu" "$links" "$into"
"$outhaul" bench --from "$into/frames-drawn.json" --plots "$into/frames-drawn-plots" >/dev/null
# One file, because a borrowed machine returns only a limited number.
tar -czf "$into/frames-drawn-plots.tar.gz" -C "$into" frames-drawn-plots
