#!/usr/bin/env bash
# Measures how soon a program continues after its network failed, with bench/resume.py. Needs root,
# and an otherwise idle machine.
#
#   resume.sh FOLDER SECONDS...      SECONDS are the lengths of the cuts
#     CUTS=10                        cuts of each length
#     WHERE=router                   place of the cuts
#     GPU=soft                       uses the software GPU in FOLDER
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift
. bench/device/tools.sh
trap 'rm -rf "$tools"' EXIT
export FOLDER=$folder GPU=$gpu
for seconds in "$@"; do
  echo "-- cuts of $seconds s at the ${WHERE:-router}, GPU $gpu"
  timeout "$(python3 -c "print(60 + int(${CUTS:-10} * ($seconds + 10)))")" \
    python3 bench/resume.py "${CUTS:-10}" "$seconds" || echo "ended with an error"
done
