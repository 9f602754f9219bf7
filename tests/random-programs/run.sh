#!/usr/bin/env bash
# Runs random programs of driver calls on the software GPU. Fails if a value differs from CUDA's
# promise, or if a program does not end.
#
#   run.sh WAY [OPTION...]     OPTIONs are those of random-programs: --programs N, --seconds N,
#                              --seed S and others
#
# A WAY is one of
#   soft                       in the process
#   remote TRANSPORT LANES     on a node, over tcp or shared-memory with that many bulk lanes; also
#                              runs the recorded programs that once failed
#   absent                     on a node over tcp; pinned memory becomes absent at once
#   overtaking                 on a node, over lanes that overtake each other
#   breaking                   on a node, over connections that break
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
. tests/random-programs/left-out.sh
programs=$built/random-programs
work=$(mktemp -d)
export OUTHAUL_SOFT_DEVICES=1

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

# The software GPU keeps only the order that NVIDIA's GPUs keep.
node() { OUTHAUL_SOFT_LIKE_NVIDIAS=1 start_node --gpu soft --cache "$work/cache"; }

# remotely TRANSPORT OPTION...: runs on the node, one program at a time, because sharing of a GPU is
# not under test.
remotely() {
  OUTHAUL_TRANSPORT=$1 "$outhaul" run --node "$node" -- \
    "$programs" "$client" --without "$(left_out "$1")" "${@:2}"
}

way=${1:-}
[ $# -eq 0 ] || shift
case $way in
  soft)
    expect "programs" \
      "$programs" "$soft" --jobs "$(nproc)" --without "$(left_out soft)" "$@"
    ;;
  remote)
    transport=$1
    export OUTHAUL_LANES=$2
    shift 2
    node
    expect "programs" remotely "$transport" "$@"
    # Programs that failed once and that no seed generates.
    for kept in tests/random-programs/kept/*.txt; do
      expect "$(basename "$kept" .txt)" remotely "$transport" --replay "$kept" --times 3
    done
    ;;
  absent)
    export OUTHAUL_LANES=4 OUTHAUL_TUNE=${OUTHAUL_TUNE:+$OUTHAUL_TUNE,}idle-scans=1
    node
    expect "programs" remotely tcp "$@"
    moves_pages || verdict skipped "absent memory" "$moves_no_pages"
    ;;
  overtaking | breaking)
    export OUTHAUL_LANES=4
    node
    breaks=()
    [ "$way" = overtaking ] || breaks=(--delay-us 0 --cut-bytes 1000000)
    "$programs" relay --to "$node" "${breaks[@]}" >"$work/relay" 2>&1 &
    relay=$!
    node=$(address_of "$work/relay" "$relay")
    expect "programs" remotely tcp "$@"
    kill "$relay"
    ;;
  *) usage ;;
esac
finish_cases
