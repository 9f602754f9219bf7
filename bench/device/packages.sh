#!/usr/bin/env bash
# Fetches tools that a machine with a GPU may lack: Debian packages of ip, tc and iperf3 with their
# libraries for links.sh, into target/device/packages, and wheels for `dag.py --dask-cuda`, into
# target/device/wheels. That machine unpacks them into temporary folders and does not install them.
set -euo pipefail

cd "$(dirname "$0")/../.."
packages=(
  iproute2 libbpf1 libbsd0 libmd0 libdb5.3 libelf1 libmnl0 libselinux1 libpcre2-8-0 libtirpc3
  libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1
  libxtables12 libcap2 zlib1g
  iperf3 libiperf0 libsctp1 libssl3
)
mkdir -p target/device/packages
cd target/device/packages
apt-get download "${packages[@]}"
cd ../../..
mkdir -p target/device/wheels
python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 \
  --platform manylinux_2_28_x86_64 --platform manylinux_2_5_x86_64 \
  --dest target/device/wheels dask dask-cuda distributed locket partd tblib tornado zict
du -sh target/device/packages target/device/wheels
