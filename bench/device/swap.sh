#!/usr/bin/env bash
# On a machine with a GPU: runs `outhaul bench swap`, with programs that together have more memory
# than the GPU. Measures how fast memory moves to the host and back, and prints one table. Builds
# nothing: pack.sh made the folder on another machine.
#
#   swap.sh [FOLDER [OPTION...]]      FOLDER is target/device by default; OPTIONs are those of
#                                     `outhaul bench swap`
#
# Two programs of 40, 60 and 90 % of the GPU's memory take a few minutes, and as much of the
# machine's memory. GPU=soft runs the script on the software GPU of `make build` (FOLDER is target
# then), whose programs share one card of 512 MiB. Writes results to swap.json in $OUT, or in
# FOLDER.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
if [ "$gpu" = soft ]; then
  card=$(mktemp -u)
  trap 'rm -f "$card".*' EXIT
  export OUTHAUL_SOFT_CARD=$card OUTHAUL_SOFT_MEMORY=512MiB
fi
"$outhaul" bench swap --gpu "$gpu" --json "$into/swap.json" "$@"
