#!/usr/bin/env bash
# On a machine with a GPU: records which code NVIDIA's driver gives for each wrong argument, and
# prints where the table of the conformance suite differs. Builds nothing: pack.sh made the folder
# on another machine. The recorded table replaces tests/conformance/codes.tsv, except its lines that
# say `stricter`.
#
#   codes.sh [FOLDER [TABLE]]      FOLDER is target/device by default; TABLE takes the new table
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "${1:-target/device}")
table=${2:-$folder/codes.tsv}
chmod +x "$folder/release/conformance"

"$folder/release/conformance" --codes libcuda.so.1 >"$table"
echo "$(grep -vc '^#' "$table") codes in $table"
# The source of a code is not a difference.
diff <(cut -f 1,2 tests/conformance/codes.tsv | sort) <(cut -f 1,2 "$table" | sort) || true
grep 'stricter$' tests/conformance/codes.tsv
