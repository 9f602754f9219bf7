#!/usr/bin/env bash
# On a machine with a GPU: runs the end-to-end programs natively, then remotely on NVIDIA's driver,
# over TCP and shared memory. Each client runs in a mount namespace without /dev/nvidia*; the node
# runs outside it. Builds nothing: pack.sh made the folder on another machine.
#
#   e2e.sh [FOLDER [FILTER]]      FOLDER is target/device by default; FILTER is part of a program's
#                                 name
set -euo pipefail

cd "$(dirname "$0")/../.."
LIMIT_S=${LIMIT_S:-20}
. tests/e2e/cases.sh

folder=$(realpath -s "${1:-target/device}")
filter=${2:-}
outhaul=$folder/release/outhaul
hide=$PWD/bench/device/without-gpu.sh
[ -d "$folder/programs" ] \
  || { echo "e2e.sh: there is no $folder/programs: make it with bench/device/pack.sh" >&2; exit 1; }
chmod +x "$outhaul" "$folder"/programs/* "$hide"

echo "== the machine"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true

# The NVRTC program looks for its library in ../nvrtc.
nvrtc=$(find / -xdev -name 'libnvrtc.so.13' -not -path '*/proc/*' 2>/dev/null | head -n 1 || true)
if [ -n "$nvrtc" ]; then
  mkdir -p "$folder/nvrtc"
  for library in "$(dirname "$nvrtc")"/libnvrtc*.so*; do ln -sfn "$library" "$folder/nvrtc/"; done
else
  echo "no libnvrtc.so.13 on this machine: nvrtc_compile cannot start"
fi

echo "== the client's namespace"
if (: </dev/nvidiactl) 2>/dev/null; then
  echo "outside, /dev/nvidiactl opens"
else
  echo "outside, /dev/nvidiactl does not open"
fi
"$hide" bash -c '
  if (: </dev/nvidiactl) 2>/dev/null; then
    echo "inside, it opens"
    exit 1
  else
    echo "inside, it does not: $(ls -d /dev/nvidia* 2>&1)"
  fi' || true

# A native program must fail in the namespace. Otherwise the remote results would prove nothing.
echo "== without Outhaul inside the namespace"
if "$hide" "$folder/programs/vector_add"; then
  echo "e2e.sh: a native program finds a GPU where none may be" >&2
  exit 1
fi

start_node --gpu "${GPU:-auto}"
for program in "$folder"/programs/*; do
  name=$(basename "$program")
  [[ $name == *"$filter"* ]] || continue
  run_case "native $name" "$program"
  for transport in tcp shared-memory; do
    export OUTHAUL_TRANSPORT=$transport
    run_case "$transport $name" "$hide" "$outhaul" run --node "$node" -- "$program"
  done
done
finish_cases
