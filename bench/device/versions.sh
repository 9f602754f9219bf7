#!/usr/bin/env bash
# On a machine with a GPU: measures several builds in turn, so that the cost of a change shows:
# shares of the GPU, and latencies of calls and copies. Builds nothing: pack.sh made each folder on
# another machine.
#
#   versions.sh FOLDER FOLDER...      folders that pack.sh made
#     ROUNDS=2                        number of rounds
#     SHARES='pair50 lost alone'      cases of `outhaul bench share`; an empty list skips that part
#     CASES='latencies'               cases of `outhaul bench`
#     LIMIT_S=100                     time limit of one part of one build, in seconds
#
# GPU=soft runs the script on the software GPU (FOLDERs are targets of `make build` then).
set -euo pipefail

cd "$(dirname "$0")/../.."
gpu=${GPU:-auto}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for round in $(seq "${ROUNDS:-2}"); do
  for folder in "$@"; do
    outhaul=$(realpath -s "$folder")/release/outhaul
    chmod +x "$outhaul"
    echo "== $folder, round $round"
    # The lists of cases must not be quoted.
    # shellcheck disable=SC2086
    if [ -n "${SHARES-pair50 lost alone}" ]; then
      timeout "${LIMIT_S:-100}" "$outhaul" bench share --gpu "$gpu" --setting weighted \
        --seconds 4 ${SHARES-pair50 lost alone} 2>"$work/err" || tail -n 3 "$work/err"
    fi
    # shellcheck disable=SC2086
    timeout "${LIMIT_S:-100}" "$outhaul" bench ${CASES:-latencies} --gpu "$gpu" \
      --link loopback,memory --runs 1 2>"$work/err" || tail -n 3 "$work/err"
  done
done
