#!/usr/bin/env bash
# On a machine with a GPU: `outhaul bench swap`, programs that together have more memory than the
# GPU, and how fast it is moved to the host and back. Builds nothing: pack.sh made the folder
# elsewhere. Prints one table.
#
#   swap.sh [FOLDER [OPTION...]]      FOLDER is target/device unless given; the options are those of
#                                     `outhaul bench swap`
#
# Two programs of 40, 60 and 90 % of the GPU's memory take a few minutes, and as much of the
# machine's memory. GPU=soft tries the script out on the software GPU of `make build` (FOLDER is
# target then), of which all programs share one card of 512 MiB. Results are left in $OUT, or in
# FOLDER, as swap.json.
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
