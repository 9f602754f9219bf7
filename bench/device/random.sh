#!/usr/bin/env bash
# On a machine with a GPU: runs random programs of driver calls natively, then remotely on NVIDIA's
# driver: over TCP with and without bulk lanes, over lanes that overtake each other, and over shared
# memory. Prints failures first, then a line for each part. Builds nothing: pack.sh made the folder
# on another machine.
#
#   random.sh [FOLDER [PROGRAMS [SEED]]]      FOLDER is target/device by default; PROGRAMS is their
#                                             number in each part (2000)
#     LIMIT_S=120                                  time of one part, in seconds
#     JOBS=1                                       programs that run at once remotely
#     WAYS='native tcp no-lanes overtaking memory' parts
#
# If a program does not end in time, the script prints its stacks and those of the workers.
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$(realpath -s "${1:-target/device}")
programs=${2:-2000}
seed=${3:-1}
limit_s=${LIMIT_S:-120}
outhaul=$folder/release/outhaul
random=$folder/release/random-programs
chmod +x "$outhaul" "$random" bench/device/without-gpu.sh
. "$folder/random-left-out.sh"
ways=" ${WAYS:-native tcp no-lanes overtaking memory} "
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
rows=()
status=0

# part NAME WAY JOBS LIBRARY COMMAND...: runs the programs, with COMMAND in front of their command.
part() {
  local name=$1 way=$2 jobs=$3 library=$4
  shift 4
  echo "== $name"
  timeout $((limit_s + 240)) "$@" "$random" "$library" --programs "$programs" \
    --seconds "$limit_s" --seed "$seed" --jobs "$jobs" \
    --on-hang "$PWD/bench/device/stacks-of-hang.sh >&2" \
    --findings "${FINDINGS:-$work/findings}/${name// /-}" --without "$(left_out "$way")" \
    >"$work/said" 2>&1 || status=1
  grep -v '^[0-9]* programs' "$work/said" || true
  rows+=("$(printf '%-36s %s' "$name" "$(tail -n 1 "$work/said")")")
}

# begin LOG COMMAND...: starts a listener, and sets $address to its address.
begin() {
  "${@:2}" >"$1" 2>&1 &
  for _ in $(seq 300); do grep -qE ' on 127\.0\.0\.1:[0-9]+$' "$1" && break; sleep 0.1; done
  address=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$1" | head -n 1)
  [ -n "$address" ] || { cat "$1"; echo "random.sh: $2 did not start" >&2; exit 1; }
}

# remote WAY NAME TRANSPORT LANES ADDRESS: runs a remote part, if WAYS has this way.
remote() {
  [[ $ways == *" $1 "* ]] || return 0
  shift
  part "$1" "$2" "${JOBS:-1}" "$folder/release/outhaul-client/libcuda.so.1" \
    env OUTHAUL_TRANSPORT="$2" OUTHAUL_LANES="$3" bench/device/without-gpu.sh \
    "$outhaul" run --node "$4" --
}

if [[ $ways == *' native '* ]]; then part native native 4 libcuda.so.1 env; fi
begin "$work/node" "$outhaul" serve --listen 127.0.0.1:0 --gpu auto --cache "$work/cache"
node=$address
remote tcp "tcp, 4 bulk lanes" tcp 4 "$node"
remote no-lanes "tcp, no bulk lanes" tcp 0 "$node"
begin "$work/relay" "$random" relay --to "$node"
remote overtaking "tcp, lanes overtake each other" tcp 4 "$address"
remote memory "shared memory" shared-memory 4 "$node"
echo
printf '%s\n' "${rows[@]}"
exit $status
