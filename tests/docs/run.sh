#!/usr/bin/env bash
# Checks the documents against the repository, the help texts of `outhaul`, and the output of the
# simulator, and runs their commands.
#
#   run.sh [--pages]     with --pages, also compares the output of the pages for beginners
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
python3 tests/docs/faults.py
python3 tests/docs/check.py --outhaul "$outhaul"
python3 tests/docs/tables.py --outhaul "$outhaul"
python3 tests/docs/every_command.py --outhaul "$built"
[ "${1:-}" = --pages ] || exit 0
python3 tests/docs/as_written.py --outhaul "$built" docs/tutorial.md docs/for-ml-engineers.md \
  docs/for-lab-admins.md docs/for-hpc-admins.md
