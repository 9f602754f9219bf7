#!/usr/bin/env bash
# Checks NVML through `outhaul run` on nodes without NVML, with stand_in.c in place of NVML, and
# with several devices. The programs use it as NVIDIA's Python package and nvidia-smi do.
set -euo pipefail

cd "$(dirname "$0")/../../.."
. tests/e2e/cases.sh

here=tests/e2e/nvml
stand_in=$PWD/target/e2e/nvml
compile_stand_in() {
  mkdir -p "$1"
  g++ -x c -O1 -shared -fPIC -DDRIVER_VERSION="\"$2\"" -Wl,-soname,libnvidia-ml.so.1 \
    -o "$1/libnvidia-ml.so.1" "$here/stand_in.c"
}
compile_stand_in "$stand_in" 999.11.22
compile_stand_in "$stand_in/580" 580.11.22

start_node --gpu soft
run_case "nvml identity" "$outhaul" run --node "$node" -- python3 "$here/nvml.py" identity
run_case "nvml nvidia-ml-py" env PYTHONPATH=target/cuda/python \
  "$outhaul" run --node "$node" -- python3 "$here/package.py"
kill "$node_pid"

LD_LIBRARY_PATH=$stand_in start_node --gpu soft
run_case "nvml sensors" "$outhaul" run --node "$node" -- python3 "$here/nvml.py" sensors
kill "$node_pid"

LD_LIBRARY_PATH=$stand_in/580 start_node --gpu soft
run_case "nvml nvidia-smi's table" "$outhaul" run --node "$node" -- python3 "$here/nvml.py" table
kill "$node_pid"

OUTHAUL_SOFT_DEVICES=3 start_node --gpu soft
run_case "nvml visible" "$outhaul" run --node "$node" -- python3 "$here/nvml.py" visible
finish_cases
