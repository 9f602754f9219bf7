#!/usr/bin/env bash
# On a machine with GPUs and CuPy: measures the graph library out of core with dag.py, natively,
# then through a node over loopback and shaped links. The clients run where no /dev/nvidia* can be
# opened. Builds nothing: pack.sh and packages.sh made the folder on another machine.
#
#   dag.sh FOLDER native|LINK... -- OPTION...      LINKs are those of `outhaul bench over --link`,
#                                                  OPTIONs those of dag.py
#
# Writes results to dag-native.csv and dag-LINK.csv in $OUT, or in FOLDER.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift
chmod +x bench/device/without-gpu.sh
packages=$(mktemp -d)
python3 -m pip install --quiet --no-index --no-deps --target "$packages" \
  "$folder"/outhaul-*.whl $(compgen -G "$folder/wheels/*.whl" || true)
export PYTHONPATH=$packages
. bench/device/tools.sh
trap 'rm -rf "$packages" "$tools"' EXIT

places=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do places+=("$1"); shift; done
shift || true
for place in "${places[@]}"; do
  into_csv=$into/dag-${place//[+:]/-}.csv
  if [ "$place" = native ]; then
    python3 -P bench/device/dag.py --csv "$into_csv" "$@"
  else
    "$outhaul" bench over --link "$place" --gpu "$gpu" \
      --client-under "$PWD/bench/device/without-gpu.sh" -- \
      python3 -P bench/device/dag.py --csv "$into_csv" "$@"
  fi
done
