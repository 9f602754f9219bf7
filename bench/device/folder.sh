# Sourced by the scripts beside it, at the top of the repository: where the binaries are and where
# results go, from the first argument, GPU and OUT.
# shellcheck shell=bash disable=SC2034
gpu=${GPU:-auto}
folder=$(realpath -s "${1:-$([ "$gpu" = soft ] && echo target || echo target/device)}")
outhaul=$folder/release/outhaul
into=${OUT:-$folder}
chmod +x "$outhaul"
mkdir -p "$into"
