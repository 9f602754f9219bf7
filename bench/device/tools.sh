# Sourced by the scripts beside it after folder.sh: puts ip, tc and iperf3 on the PATH, from the
# packages that packages.sh fetched where the machine has none. The unpacked tools run with their
# own libraries, and nothing else does.
# shellcheck shell=bash disable=SC2154
tools=$(mktemp -d)
mkdir -p "$tools/root" "$tools/bin"
for package in "$folder"/packages/*.deb; do
  [ -e "$package" ] && dpkg -x "$package" "$tools/root"
done
libraries=$tools/root/usr/lib/x86_64-linux-gnu:$tools/root/lib/x86_64-linux-gnu
for tool in ip tc iperf3; do
  command -v "$tool" >/dev/null && continue
  path=$(find "$tools"/root/{,usr/}{bin,sbin} -name "$tool" -perm -100 2>/dev/null \
    | head -n 1 || true)
  [ -n "$path" ] || {
    echo "tools.sh: there is no $tool: make $folder/packages with bench/device/packages.sh" >&2
    continue
  }
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$path" >"$tools/bin/$tool"
  chmod +x "$tools/bin/$tool"
done
export PATH=$PATH:$tools/bin
