#!/usr/bin/env bash
# On a machine with a GPU: runs `outhaul bench share`, with tenants that share the GPU on the driver
# alone, under MPS if it is installed, and on a node under each policy. Prints one table. Builds
# nothing: pack.sh made the folder on another machine.
#
#   share.sh [FOLDER [OPTION...]]      FOLDER is target/device by default; OPTIONs are those of
#                                      `outhaul bench share`
#
# All cases in all settings take about 20 minutes. A part: share.sh target/device pair50 pair70
# --seconds 5. GPU=soft runs the script on the software GPU of `make build` (FOLDER is target then).
# Writes results to share.json, share.csv and share-plots.tar.gz in $OUT, or in FOLDER.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
"$outhaul" bench share --gpu "$gpu" --json "$into/share.json" --csv "$into/share.csv" \
  --plots "$into/share-plots" "$@"
# One file, because a borrowed machine returns only a limited number.
tar -czf "$into/share-plots.tar.gz" -C "$into" share-plots
