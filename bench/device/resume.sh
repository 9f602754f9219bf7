#!/usr/bin/env bash
# How soon a program goes on whose network was gone, by bench/resume.py on a machine with nothing
# else to do, which a machine that builds is not. Root only.
#
#   resume.sh FOLDER SECONDS...      CUTS (10) cuts of each length, where WHERE (router) says;
#                                    GPU=soft: the software GPU in FOLDER
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
