#!/usr/bin/env bash
# On a machine with a GPU: measures the programs of bench/programs natively and over links, and
# prints one table. The clients run where no /dev/nvidia* can be opened. Builds nothing: pack.sh
# made the folder on another machine.
#
#   programs.sh FOLDER [PROGRAM...]    all programs by default; layers.py needs PyTorch
#     LINKS='loopback memory'          links, as in `outhaul bench --link`
#     REPEATS=5                        repetitions of each case in a process, after one that does
#                                      not count
#     LIMIT_S=60                       time limit of one process, in seconds
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
. bench/device/tools.sh
shift || true
chmod +x bench/device/without-gpu.sh "$folder"/bench-programs/* 2>/dev/null || true
read -ra links <<<"${LINKS:-loopback memory}"
programs=("$@")
[ $# -gt 0 ] || programs=($(cd "$folder/bench-programs" && ls) layers.py)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
hide=()
[ "$gpu" = soft ] || hide=(--client-under "$PWD/bench/device/without-gpu.sh")

for program in "${programs[@]}"; do
  case $program in
    *.py) command=(python3 -P "bench/programs/$program") ;;
    *) command=("$folder/bench-programs/$program") ;;
  esac
  command=(timeout "${LIMIT_S:-60}" "${command[@]}" "${REPEATS:-5}")
  native=()
  [ "$gpu" = soft ] && native=("$outhaul" run --gpu soft --)
  for way in native "${links[@]}"; do
    out=$work/$way err=$into/programs-$program-${way/:/-}.err
    if [ "$way" = native ]; then
      "${native[@]}" "${command[@]}" >>"$out" 2>"$err" || echo "$program: native ended with $?" >&2
    else
      PLACEHOLDER=/dev/nvidiactl "$outhaul" bench over --gpu "$gpu" --link "$way" "${hide[@]}" -- \
        "${command[@]}" >>"$out" 2>"$err" || echo "$program: $way ended with $?" >&2
    fi
  done
done
(cd "$work" && python3 "$OLDPWD/bench/device/programs_table.py" native "${links[@]}")
