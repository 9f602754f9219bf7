# The scripts of this folder source this file after folder.sh. It puts ip, tc and iperf3 on the
# PATH; tools that the machine lacks come from the packages that packages.sh fetched. Only these
# tools use the libraries of the packages.
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
