#!/usr/bin/env bash
# Runs the end-to-end programs on one libcuda.so.1 and prints a line for each.
#
#   run.sh --target soft   [--lib PATH] [FILTER]
#       the software GPU, in the process
#   run.sh --target remote [--lib PATH] [--node HOST:PORT] [FILTER]
#       through `outhaul run`; starts a node if none is given
#   run.sh --target native [--lib PATH] [FILTER]
#       the system's driver
#
# PATH is a libcuda.so.1 or its folder. The program loads it; for `remote`, the node that this
# script starts offers it. FILTER is part of a VARIANT/PROGRAM name. LIMIT_S=60 is the time limit of
# one program in seconds.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

target='' lib='' node='' filter=''
while [ $# -gt 0 ]; do
  case $1 in
    --target) target=${2:?--target needs soft, remote or native}; shift 2 ;;
    --lib) lib=${2:?--lib needs the path of a libcuda.so.1}; shift 2 ;;
    --node) node=${2:?--node needs HOST:PORT}; shift 2 ;;
    -*) usage ;;
    *) filter=$1; shift ;;
  esac
done

if [ -n "$lib" ] && [ ! -e "$lib" ]; then
  echo "run.sh: $lib does not exist" >&2
  exit 1
fi
[ -d "$lib" ] && lib=$lib/libcuda.so.1
case $target in
  soft)
    lib=$(realpath -s "${lib:-$soft}")
    [ -e "$lib" ] || { echo "run.sh: $lib is missing: run \`make build\` first" >&2; exit 1; }
    # The newest capability that all programs run on. The remote target tests the default.
    prefix=(env "LD_LIBRARY_PATH=$(dirname "$lib")" "OUTHAUL_SOFT_CC=${OUTHAUL_SOFT_CC:-9.0}")
    ;;
  native)
    prefix=(env)
    [ -n "$lib" ] && prefix=(env "LD_LIBRARY_PATH=$(dirname "$(realpath -s "$lib")")")
    ;;
  remote)
    [ -x "$outhaul" ] \
      || { echo "run.sh: $outhaul is missing: run \`make build\` first" >&2; exit 1; }
    [ -n "$node" ] || start_node --gpu "${lib:-soft}"
    prefix=("$outhaul" run --node "$node" --)
    ;;
  *) usage ;;
esac

export CUDA_CACHE_PATH=$PWD/target/e2e-compiled
shopt -s nullglob
for program in target/e2e/{13.0,12.9,12.0,13.5}-*/* target/e2e/ptx+cubin-*/*; do
  name=${program#target/e2e/}
  [[ $name == *"$filter"* ]] || continue
  run_case "$name" "${prefix[@]}" "$program"
done
finish_cases
