# The scripts of this folder source this file at the top of the repository. From their first
# argument, GPU and OUT it sets the paths of the binaries and of the results.
# shellcheck shell=bash disable=SC2034
gpu=${GPU:-auto}
folder=$(realpath -s "${1:-$([ "$gpu" = soft ] && echo target || echo target/device)}")
outhaul=$folder/release/outhaul
into=${OUT:-$folder}
chmod +x "$outhaul"
mkdir -p "$into"
