#!/usr/bin/env bash
# On a machine with a GPU: measures programs natively and with the GPU far away, and prints one
# table. The programs are training that reads nothing back, training that reads its loss in each
# step, large copies, and the start of a program. The clients run where no /dev/nvidia* can be
# opened. Builds nothing: pack.sh made the folder on another machine.
#
#   far.sh FOLDER
#     LINKS='rtt:1ms rtt:10ms rtt:30ms rtt:80ms rtt:150ms'
#                                          links, as in `outhaul bench --link`
#     PARTS='training start training.py'   programs of bench/programs; training.py needs PyTorch,
#                                          and is left out without it
#     REPEATS=3                            repetitions of each case in a process, after one that
#                                          does not count
#     LIMIT_S=120                          time limit of one part over one link, in seconds
#
# A cable between network namespaces makes the delay if the script may use them and /dev/net/tun.
# Otherwise a relay does, which ends TCP on both sides. The last lines tell which. GPU=soft runs the
# script on the software GPU of `make build` (FOLDER is target then).
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
. bench/device/tools.sh
chmod +x bench/device/without-gpu.sh "$folder"/bench-programs/* 2>/dev/null || true
read -ra links <<<"${LINKS:-rtt:1ms rtt:10ms rtt:30ms rtt:80ms rtt:150ms}"
read -ra parts <<<"${PARTS:-training start training.py}"
work=$(mktemp -d)
trap 'rm -rf "$work" "$tools"' EXIT
hide=()
native=()
if [ "$gpu" = soft ]; then
  native=("$outhaul" run --gpu soft --)
else
  hide=(--client-under "$PWD/bench/device/without-gpu.sh")
fi

# Runs one part after the other. The output of a part counts even if another part fails.
cat >"$work/parts.sh" <<'PARTS'
limit_s=$1 repeats=$2 programs=$3
shift 3
for part in "$@"; do
  case $part in
    *.py)
      python3 -c 'import torch' 2>/dev/null \
        || { echo "$part: left out, there is no PyTorch" >&2; continue; }
      command=(python3 "bench/programs/$part") ;;
    *) command=("$programs/$part") ;;
  esac
  timeout "$limit_s" "${command[@]}" "$repeats" || echo "$part ended with $?" >&2
done
PARTS
all=(bash "$work/parts.sh" "${LIMIT_S:-120}" "${REPEATS:-3}" "$folder/bench-programs" "${parts[@]}")

"${native[@]}" "${all[@]}" >"$work/native" 2>"$into/far-native.err" || true
for link in "${links[@]}"; do
  PLACEHOLDER=/dev/nvidiactl "$outhaul" bench over --gpu "$gpu" --link "$link" "${hide[@]}" -- \
    "${all[@]}" >"$work/$link" 2>"$into/far-${link//[:+]/-}.err" \
    || echo "$link ended with $?" >&2
done
(cd "$work" && python3 "$OLDPWD/bench/device/far_table.py" native "${links[@]}")
cat "$into"/far-*.err >&2
for link in "${links[@]}"; do
  grep -h "a relay makes" "$into/far-${link//[:+]/-}.err" || echo "$link: a cable"
done
