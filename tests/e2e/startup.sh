#!/usr/bin/env bash
# Starts every CUDA runtime from 12.0 to 13.5, shared and static, on one libcuda.so.1.
#
#   startup.sh                     the software GPU, in the process
#   startup.sh FOLDER              another libcuda.so.1, in this folder
#   startup.sh --remote [PATH]     through `outhaul run`, on a node that offers PATH (the software
#                                  GPU by default)
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

if [ "${1:-}" = --remote ]; then
  [ -x "$outhaul" ] \
    || { echo "startup.sh: $outhaul is missing: run \`make build\` first" >&2; exit 1; }
  start_node --gpu "${2:-soft}"
  prefix=("$outhaul" run --node "$node" --)
else
  folder=${1:-$built/outhaul-soft}
  [ -e "$folder/libcuda.so.1" ] || {
    echo "startup.sh: there is no $folder/libcuda.so.1: run \`make build\` first" >&2
    exit 1
  }
  prefix=(env "LD_LIBRARY_PATH=$(realpath -s "$folder")")
fi

shopt -s nullglob
for program in target/e2e/startup/*; do
  run_case "cudart $(basename "$program")" "${prefix[@]}" "$program"
done
finish_cases
