#!/usr/bin/env bash
# Random programs of driver calls on the software GPU: in the process, then on a node over each
# transport, over lanes that overtake each other, and over connections that break. Each part runs
# for RANDOM_SECONDS (12) from RANDOM_SEED (1) on. Fails if a value differs from what CUDA promises,
# or a program does not end.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/random-programs/left-out.sh
seconds=${RANDOM_SECONDS:-12}
seed=${RANDOM_SEED:-1}
programs=target/release/random-programs
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
status=0
export OUTHAUL_SOFT_DEVICES=1

# begin LOG COMMAND...: starts what listens; its address is in `address` then.
begin() {
  : >"$1"
  "${@:2}" >"$1" 2>&1 &
  for _ in $(seq 600); do grep -qE ' on 127\.0\.0\.1:[0-9]+$' "$1" && break; sleep 0.1; done
  address=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$1" | head -n 1)
  [ -n "$address" ] || { cat "$1"; echo "run.sh: $2 $3 did not start" >&2; exit 1; }
}

# remote TRANSPORT LANES ADDRESS
remote() {
  # One program at a time on a node: how programs share a GPU is not the question here.
  OUTHAUL_TRANSPORT=$1 OUTHAUL_LANES=$2 target/release/outhaul run --node "$3" -- \
    "$programs" "$PWD/target/lib/client/libcuda.so.1" --seconds "$seconds" --seed "$seed" \
    --without "$(left_out "$1")" || status=1
  # Programs that were wrong once and that seeds do not come to.
  for kept in tests/random-programs/kept/*.txt; do
    OUTHAUL_TRANSPORT=$1 OUTHAUL_LANES=$2 target/release/outhaul run --node "$3" -- \
      "$programs" "$PWD/target/lib/client/libcuda.so.1" --replay "$kept" --times 3 \
      || { echo "FAILED   $kept"; status=1; }
  done
}

echo "-- software GPU"
"$programs" "$PWD/target/lib/soft/libcuda.so.1" --seconds "$seconds" --seed "$seed" \
  --jobs "$(nproc)" --without "$(left_out soft)" || status=1
# As on a GPU of NVIDIA's.
begin "$work/node" env OUTHAUL_SOFT_LIKE_NVIDIAS=1 target/release/outhaul serve \
  --listen 127.0.0.1:0 --gpu soft --cache "$work/cache"
node=$address
for way in "shared-memory 4" "tcp 4" "tcp 0"; do
  read -r transport lanes <<<"$way"
  echo "-- remote over the software GPU, $transport, $lanes bulk lanes"
  remote "$transport" "$lanes" "$node"
done
begin "$work/relay" "$programs" relay --to "$node"
echo "-- remote over the software GPU, tcp, 4 bulk lanes that overtake each other"
remote tcp 4 "$address"
begin "$work/breaking" "$programs" relay --to "$node" --delay-us 0 --cut-bytes 1000000
echo "-- remote over the software GPU, tcp, 4 bulk lanes, over connections that break"
remote tcp 4 "$address"
exit $status
