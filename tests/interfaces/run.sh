#!/usr/bin/env bash
# Compares the interfaces that programs and scripts rely on with those recorded here: the symbols of
# the client library, and the commands with their options. Fails if they differ.
#
#   run.sh             compares
#   run.sh --write     records the current interfaces; describe the change in CHANGELOG.md
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
recorded=tests/interfaces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only --format=posix "$client" | cut -d ' ' -f 1 | LC_ALL=C sort >"$work/symbols.txt"

# The man pages have all commands. They begin a line with each option, and list its values.
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
[ -z "$changed" ] || {
  echo "error:$changed changed; if this is intended, run: tests/interfaces/run.sh --write"
  exit 1
}
