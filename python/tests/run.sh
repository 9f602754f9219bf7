#!/usr/bin/env bash
# The tests of the Python package: builds and installs it by pip as a user would, then runs pytest
# on pretended GPUs, and through CuPy on the software GPU.
#
#   run.sh [PYTEST ARGUMENTS]
set -euo pipefail

cd "$(dirname "$0")/../.."
. python/venv.sh

log=$folder/log
status=0
pytest=("$venv/bin/python" -P -m pytest -q -p no:cacheprovider)
OUTHAUL=$PWD/target/release/outhaul "${pytest[@]}" python/tests --ignore python/tests/gpu "$@" 2>&1 | tee "$log" || status=1
OUTHAUL_SOFT_DEVICES=2 target/release/outhaul run --gpu soft -- "${pytest[@]}" python/tests/gpu "$@" 2>&1 | tee -a "$log" || status=1
awk '/ in [0-9.]+s/ { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) passed += $(i - 1); if ($i ~ /^(failed|error)/) failed += $(i - 1) } }
  END { print passed + 0 " passed, " failed + 0 " failed" }' "$log"
exit "$status"
