#!/usr/bin/env bash
# On a machine with a GPU: `outhaul bench share`, tenants that share the GPU on the driver alone,
# under MPS where it is installed, and on a node under each policy. Builds nothing: pack.sh made the
# folder elsewhere. Prints one table.
#
#   share.sh [FOLDER [OPTION...]]      FOLDER is target/device unless given; the options are those
#                                      of `outhaul bench share`
#
# All cases in all settings take about 20 minutes. Part of it: share.sh target/device pair50 pair70
# --seconds 5. GPU=soft tries the script out on the software GPU of `make build` (FOLDER is target
# then). Results are left in $OUT, or in FOLDER, as share.json, share.csv and share-plots.tar.gz.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
"$outhaul" bench share --gpu "$gpu" --json "$into/share.json" --csv "$into/share.csv" \
  --plots "$into/share-plots" "$@"
# One file, since only so many come back from a borrowed machine.
tar -czf "$into/share-plots.tar.gz" -C "$into" share-plots
