#!/usr/bin/env bash
# Checks that random kernels compute the same results on the software GPU as on an H200.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
OUTHAUL_SOFT_CC=9.0 python3 tests/ptx/fuzz.py "$soft" --digests tests/ptx/fuzz.digests
