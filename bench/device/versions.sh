#!/usr/bin/env bash
# On a machine with a GPU: builds beside each other, in turn, so that a change's cost shows: shares
# of the GPU, and latencies of calls and copies. Builds nothing: pack.sh made each folder elsewhere.
#
#   versions.sh FOLDER FOLDER...      each as pack.sh leaves one; ROUNDS=2 rounds
#     SHARES='pair50 lost alone'      cases of `outhaul bench share`; none leaves that part out
#     CASES='latencies'               cases of `outhaul bench`
#     LIMIT_S=100                     the time limit of one part of one build
#
# GPU=soft tries the script out on the software GPU (FOLDERs are targets of `make build` then).
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
    # Nothing to quote: each is a list of cases.
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
