#!/usr/bin/env bash
# On a machine with a GPU and PyTorch: measures what it costs that sessions survive broken
# connections, and compares the losses of training over such connections. The clients run over TCP,
# where no /dev/nvidia* can be opened. Builds nothing: pack.sh made the folder on another machine.
#
#   cuts.sh FOLDER PIECE...      PIECE: training, steps, copies
#     training                   the losses of 400 steps of ResNet-50, natively and through a relay:
#                                intact, stopped for 1, 5 and 30 s, and with breaking connections
#     steps                      the time of a step natively and over loopback, with and without a
#                                grace, ROUNDS times in turn
#     copies                     latencies and copies by `outhaul bench`, with and without a grace,
#                                over LINKS (loopback), ROUNDS times in turn; without compression,
#                                which would hide the rate of the link
#     ROUNDS=3                   number of rounds
#
# Without a grace (0 s), a lane keeps no data that it has sent, and a session ends with its
# connection.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift
. bench/device/tools.sh
random=$folder/release/random-programs
rounds=${ROUNDS:-3}
chmod +x "$random" bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work" "$tools"' EXIT
hide=()
[ "$gpu" = soft ] || hide=("$PWD/bench/device/without-gpu.sh")
export OUTHAUL_TRANSPORT=tcp
"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --cache "$work/cache" >"$work/node" 2>&1 &
for _ in $(seq 200); do grep -q ' on 127' "$work/node" && break; sleep 0.1; done
node=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$work/node" | head -n 1)

# curve NAME [NODE]: runs curve.py, and writes its losses to $work/NAME.
curve() {
  local start=$SECONDS command=(timeout 150 python3 -P bench/device/curve.py "${STEPS:-400}")
  [ $# = 1 ] || command=("${hide[@]}" "$outhaul" run --node "$2" -- "${command[@]}")
  "${command[@]}" >"$work/$1" 2>"$work/$1.steps" \
    || { tail -n 5 "$work/$1.steps"; echo "$1: ended with an error"; }
  echo "$((SECONDS - start)) s" >"$work/$1.time"
}
# relay OPTIONS...: starts a relay in front of the node. Sets $address to its address.
relay() {
  "$random" relay --to "$node" --delay-us 0 "$@" >"$work/relay" 2>"$work/relay.err" &
  relay=$!
  for _ in $(seq 100); do grep -q ' on ' "$work/relay" && break; sleep 0.1; done
  address=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$work/relay")
}
training() {
  curve native
  relay
  curve whole "$address"
  curve stopped "$address" &
  local running=$! step=50
  for pause in 1 5 30; do
    for _ in $(seq 600); do
      grep -q "step $step:" "$work/stopped.steps" 2>/dev/null && break
      sleep 0.1
    done
    kill -STOP "$relay"; sleep "$pause"; kill -CONT "$relay"
    step=$((step + 100))
  done
  wait "$running"
  kill "$relay"
  relay --cut-bytes "${CUT_BYTES:-200000000}"
  curve breaking "$address"
  echo "relay: $(tail -n 1 "$work/relay.err")"
  kill "$relay"
  for name in native whole stopped breaking; do
    printf '%-9s %4d losses  %s  %s\n' "$name" "$(wc -l <"$work/$name")" \
      "$(sha256sum <"$work/$name" | cut -c1-16)" "$(cat "$work/$name.time")"
  done
}
steps() {
  for case in ${CASES:-resnet50-bf16}; do
    for _ in $(seq "$rounds"); do
      timeout 100 python3 -P bench/device/models.py "$case" "${STEPS:-30}" >>"$work/$case.native" \
        || true
      for grace in 0 120; do
        OUTHAUL_GRACE=$grace timeout 100 "${hide[@]}" "$outhaul" run --node "$node" -- \
          python3 -P bench/device/models.py "$case" "${STEPS:-30}" >>"$work/$case.$grace" \
          2>"$work/err" || tail -n 3 "$work/err"
      done
    done
    python3 bench/device/cuts_table.py steps "$work/$case".{native,0,120}
  done
}
copies() {
  local round
  [ "$gpu" = soft ] || hide=(--client-under "${hide[0]}")
  for round in $(seq "$rounds"); do
    for grace in 0 120; do
      OUTHAUL_TUNE=${OUTHAUL_TUNE:+$OUTHAUL_TUNE,}compression=off OUTHAUL_GRACE=$grace timeout 200 \
        "$outhaul" bench ${CASES:-latencies copies} --gpu "$gpu" "${hide[@]}" \
        --link "${LINKS:-loopback}" --runs 1 --json "$work/copies.$grace.$round" \
        >"$work/said" 2>&1 || tail -n 5 "$work/said"
    done
  done
  python3 bench/device/cuts_table.py copies "$work"/copies.{0,120}.*
}
for piece in "$@"; do
  echo "== $piece"
  "$piece"
done
