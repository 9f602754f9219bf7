#!/usr/bin/env bash
# Checks the example that draws at a fixed rate, as whole pixels, as NV12 and as JPEG. Its pictures
# must be the same on the software GPU in the process, on a node with one, and when g++ compiles the
# same source. A JPEG must be a valid one of the same picture. A late frame must drop the ticks that
# it missed, and its record must say so. Also checks the viewer that shows the frames in a page.
set -euo pipefail

cd "$(dirname "$0")/../../.."
. tests/e2e/cases.sh

example=$PWD/target/e2e/examples/frameloop
[ -x "$example" ] || tests/e2e/build.sh examples/frameloop
records=$PWD/target/e2e/frames
mkdir -p "$records"
start_node --gpu soft

here() { env LD_LIBRARY_PATH="$built/outhaul-soft" "$example" "$@"; }
there() { "$outhaul" run --node "$node" -- "$example" "$@"; }
sums() { cut -d, -f7 "$1"; }

# equal NAME TOTAL OPTION...: compares twelve frames one by one, and their total checksum with
# TOTAL, which the source computed when g++ had compiled it.
equal() {
  local name=$1 total=$2
  shift 2
  here --size 240x136 --objects 40 --frames 12 --rate 30 "$@" \
    >"$records/$name-here" 2>"$records/$name-words" || return 1
  there --size 240x136 --objects 40 --frames 12 --rate 30 "$@" \
    >"$records/$name-there" 2>"$records/$name-words-there" || return 1
  [ "$(sums "$records/$name-here" | sort -u | wc -l)" = 13 ] \
    || { echo "two frames of $name are the same"; return 1; }
  diff <(sums "$records/$name-here") <(sums "$records/$name-there") || return 1
  grep "checksum $total" "$records/$name-words" || { cat "$records/$name-words"; return 1; }
}

# jpeg SIZE DECIBELS: decodes frames and compares them with whole pixels. Both sides must encode
# them in the same way.
jpeg() {
  local size=$1 scene=(--size "$1" --objects 40 --frames 2 --rate 30 --stream)
  here "${scene[@]}" >"$records/raw-$size" 2>/dev/null || return 1
  here "${scene[@]}" --jpeg 85 >"$records/jpeg-$size" 2>"$records/jpeg-words" || return 1
  OUTHAUL_TRANSPORT=tcp there "${scene[@]}" --jpeg 85 \
    >"$records/jpeg-$size-there" 2>"$records/jpeg-words-there" \
    || return 1
  local total="checksum [0-9a-f]*"
  diff <(grep -o "$total" "$records/jpeg-words") <(grep -o "$total" "$records/jpeg-words-there") \
    || return 1
  python3 tests/e2e/frames/jpeg.py "$records/raw-$size" "$records/jpeg-$size" "$size" "$2"
}

# Checks the viewer with a program on a node.
viewer() {
  OUTHAUL_TRANSPORT=tcp python3 tests/e2e/frames/viewer.py 12 "$outhaul" run --node "$node" -- \
    "$example" --size 240x136 --objects 40 --rate 30
}

# Checks frames that take longer than a tick: in each record, ticks and dropped ticks must add up.
late() {
  here --size 960x540 --objects 40 --frames 8 --rate 1000 2>"$records/late-words" >"$records/late" \
    || return 1
  awk -F, 'NR > 1 {
      if ($2 != tick + 1 || ($3 > $2) != ($6 > 0) || $3 > $2 + $6) {
        print "this line is not in order: " $0
        exit 1
      }
      tick += 1 + $6; late += $6 > 0
    }
    END { if (NR != 9 || late != 8) { print late " of " NR - 1 " frames were late"; exit 1 } }' \
    "$records/late" || return 1
  grep " 0 in time, 8 late" "$records/late-words"
}

export -f here there sums equal jpeg viewer late
export outhaul built example node records
run_case "pixels" bash -c "equal pixels 58f3064440c4c0a3"
run_case "NV12" bash -c "equal nv12 1f9d0460cb16dd50 --nv12"
run_case "JPEG" bash -c "jpeg 240x136 32"
# The last units go over both edges.
run_case "JPEG with parts of units" bash -c "jpeg 100x54 26"
run_case "viewer" bash -c viewer
run_case "late frames" bash -c late
finish_cases
