#!/usr/bin/env bash
# On a machine with a GPU: runs `outhaul bench` natively and over links that Linux shapes between
# two network namespaces. The clients run where no /dev/nvidia* can be opened. Builds nothing:
# pack.sh and packages.sh made the folder on another machine.
#
#   links.sh [FOLDER [OPTION...]]      FOLDER is target/device by default; OPTIONs are those of
#                                      `outhaul bench`
#
# Without options, runs a selection of cases and links that takes some minutes. GPU=soft runs the
# script on the software GPU of `make build` (FOLDER is target then). Writes results to links.json
# and links.csv in $OUT, or in FOLDER; `outhaul bench --from links.json --plots DIR` plots them
# anywhere.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
chmod +x bench/device/without-gpu.sh
. bench/device/tools.sh
trap 'rm -rf "$tools"' EXIT

if [ $# -eq 0 ]; then
  set -- latencies search particles frames \
    --link loopback,memory,0.94g,10g,25g,100g,10g+hops:3 --runs 3
fi
hide=()
[ "$gpu" = soft ] || hide=(--client-under "$PWD/bench/device/without-gpu.sh")
start=$SECONDS
"$outhaul" bench --gpu "$gpu" "${hide[@]}" --json "$into/links.json" --csv "$into/links.csv" "$@"
echo "links.sh: $((SECONDS - start)) s"
