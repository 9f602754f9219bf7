#!/usr/bin/env bash
# Whether random kernels compute on the software GPU what they did on an H200.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
OUTHAUL_SOFT_CC=9.0 python3 tests/ptx/fuzz.py "$soft" --digests tests/ptx/fuzz.digests
