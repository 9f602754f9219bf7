#!/usr/bin/env bash
# Fetches the Debian packages that links.sh needs on a machine without them, ip, tc and iperf3 with their libraries, into target/device/packages.
# They are unpacked there beside the system, never installed.
set -euo pipefail

cd "$(dirname "$0")/../.."
packages=(
  iproute2 libbpf1 libbsd0 libmd0 libdb5.3 libelf1 libmnl0 libselinux1 libpcre2-8-0 libtirpc3 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0
  libcom-err2 libkeyutils1 libxtables12 libcap2 zlib1g
  iperf3 libiperf0 libsctp1 libssl3
)
mkdir -p target/device/packages
cd target/device/packages
apt-get download "${packages[@]}"
du -sh .
