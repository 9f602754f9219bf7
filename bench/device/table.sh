#!/usr/bin/env bash
# On a machine with a GPU: measures the tables of docs/performance.md, in pieces. Each piece writes
# its results to NAME.json and NAME.txt in $OUT, or in FOLDER. Name as many pieces as you have time
# for; on slow machines a model takes a minute over each link. Builds nothing.
#
#   table.sh FOLDER PIECE...      PIECE: llama, resnet50, inception, calls, import, copies, programs
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME LIMIT_S OPTION...: runs links.sh with these options, under a time limit.
measure() {
  local name=$1 limit_s=$2
  shift 2
  mkdir -p "$work/$name"
  OUT=$work/$name timeout "$limit_s" bench/device/links.sh "$folder" "$@" >"$into/$name.txt" 2>&1 \
    || echo "table.sh: $name did not end within $limit_s s" >>"$into/$name.txt"
  if [ -e "$work/$name/links.json" ]; then cp "$work/$name/links.json" "$into/$name.json"; fi
  grep -v '^$' "$into/$name.txt" | tail -n "${LINES_MAX:-60}"
}

for piece in "$@"; do
  case $piece in
    llama | inception) measure "$piece" 240 "$piece" --link loopback,memory,10g --runs 1 ;;
    resnet50) measure "$piece" 360 "$piece" --link loopback,memory,10g --runs 1 ;;
    calls) measure "$piece" 180 "$piece" --link loopback,memory,10g,25g --runs 2 ;;
    import) measure "$piece" 180 "$piece" --link loopback,memory,10g --runs 2 ;;
    copies) measure "$piece" 300 latencies copies --link loopback,memory,10g,25g --runs 2 ;;
    programs) measure "$piece" 240 particles search --link loopback,memory,0.94g,10g --runs 1 ;;
    *)
      echo "table.sh: there is no piece '$piece'; there are llama, resnet50, inception, calls," \
        "import, copies and programs" >&2
      exit 2
      ;;
  esac
done
