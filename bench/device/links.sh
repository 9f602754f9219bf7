#!/usr/bin/env bash
# On a machine with a GPU: `outhaul bench` natively and over links that the kernel shapes between two network namespaces, its clients where no
# /dev/nvidia* can be opened. Builds nothing: pack.sh and packages.sh made the folder elsewhere.
#
#   links.sh [FOLDER [OPTION...]]      FOLDER is target/device unless given; the options are those of `outhaul bench`
#
# Without options, a first selection of cases and links that takes some minutes. GPU=soft tries the script out on the software GPU of `make build`
# (FOLDER is target then). What it measured is left in $OUT, or in FOLDER, as links.json and links.csv; `outhaul bench --from links.json --plots
# DIR` draws it anywhere.
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift || true
chmod +x bench/device/without-gpu.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The unpacked tools run with their own libraries, and nothing else does.
mkdir -p "$work/root" "$work/bin"
for package in "$folder"/packages/*.deb; do
  [ -e "$package" ] && dpkg -x "$package" "$work/root"
done
libraries=$work/root/usr/lib/x86_64-linux-gnu:$work/root/lib/x86_64-linux-gnu
for tool in ip tc iperf3; do
  command -v "$tool" >/dev/null && continue
  path=$(find "$work"/root/{,usr/}{bin,sbin} -name "$tool" -perm -100 2>/dev/null | head -n 1 || true)
  [ -n "$path" ] || { echo "links.sh: there is no $tool: make $folder/packages with bench/device/packages.sh" >&2; continue; }
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$path" >"$work/bin/$tool"
  chmod +x "$work/bin/$tool"
done
export PATH=$PATH:$work/bin

if [ $# -eq 0 ]; then
  set -- latencies search particles frames --link loopback,memory,0.94g,10g,25g,100g,10g+hops:3 --runs 3
fi
hide=()
[ "$gpu" = soft ] || hide=(--client-under "$PWD/bench/device/without-gpu.sh")
start=$SECONDS
"$outhaul" bench --gpu "$gpu" "${hide[@]}" --json "$into/links.json" --csv "$into/links.csv" "$@"
echo "links.sh: $((SECONDS - start)) s"
