#!/usr/bin/env bash
# Holds the documents against the repository, against what `outhaul --help` says, and against what
# the simulator prints.
#
#   run.sh [--pages]     also runs the pages for beginners as they are written
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
python3 tests/docs/faults.py
python3 tests/docs/check.py --outhaul "$outhaul"
python3 tests/docs/tables.py --outhaul "$outhaul"
[ "${1:-}" = --pages ] || exit 0
python3 tests/docs/as_written.py --outhaul "$built" docs/tutorial.md docs/for-ml-engineers.md \
  docs/for-lab-admins.md docs/for-hpc-admins.md
