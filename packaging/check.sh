#!/usr/bin/env bash
# Checks that the files from stage.sh need only symbol versions and system libraries that
# manylinux_2_28 allows.
#
#   check.sh ARCH
set -euo pipefail

cd "$(dirname "$0")/.."
. packaging/tools.sh
glibc=2.28
# Libraries of manylinux's list, and libcuda.so.1, which the library in place of NVML loads.
allowed=(
  libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libgcc_s.so.1
  ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 libcuda.so.1
)
failed=0
while read -r file; do
  versions=$(readelf --version-info --wide "$file" | { grep -oE 'GLIBC_[0-9.]+' || true; } \
    | sort -Vu | tail -n 1)
  newest=$(printf '%s\n' "${versions#GLIBC_}" "$glibc" | sort -V | tail -n 1)
  [ "$newest" = "$glibc" ] || { echo "$file needs $versions, newer than $glibc" >&2; failed=1; }
  while read -r needed; do
    [[ " ${allowed[*]} " == *" $needed "* ]] \
      || { echo "$file needs $needed, which systems may lack" >&2; failed=1; }
  done < <(readelf --dynamic --wide "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  ! readelf --sections --wide "$file" | grep -q ' \.debug_info' \
    || { echo "$file is not stripped" >&2; failed=1; }
done < <(find "target/packaging/$1" -path '*/symbols' -prune \
  -o -type f \( -path '*/bin/outhaul' -o -name '*.so*' \) -print)
exit $failed
