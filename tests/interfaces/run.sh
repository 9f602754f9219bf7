#!/usr/bin/env bash
# What programs and scripts may rely on: the symbols of the client library, and the commands with
# their options. Fails where they are not as recorded.
#
#   run.sh             compares
#   run.sh --write     records what there is now; say in CHANGELOG.md what changed
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
recorded=tests/interfaces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only --format=posix "$client" | cut -d ' ' -f 1 | LC_ALL=C sort >"$work/symbols.txt"

# The man pages have all commands, a line that begins with each option, and its values as a list.
"$outhaul" manual "$work/pages"
for page in "$work"/pages/*.1; do
  echo "$(basename "$page" .1)"
  sed -nE '/^\\fB\\-|^[<[]?\\fI</{s/\\f[BIR]//g; s/\\-/-/g; s/^/    /p}
    /^\.IP \\\(bu/{n; s/:.*//; s/\\-/-/g; s/^/        /p}' "$page"
done >"$work/commands.txt"

if [ "${1:-}" = --write ]; then
  cp "$work/symbols.txt" "$work/commands.txt" "$recorded"
  exit
fi
changed=
for name in symbols commands; do
  diff -u "$recorded/$name.txt" "$work/$name.txt" || changed="$changed $name"
done
[ -z "$changed" ] \
  || { echo "error:$changed changed; if that is meant, record it: tests/interfaces/run.sh --write"; exit 1; }
