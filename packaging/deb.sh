#!/usr/bin/env bash
# Makes a Debian package of the files from stage.sh. On x86-64 it has the services of a node and of
# a pool, which start only after an administrator enables them.
#
#   deb.sh ARCH VERSION FOLDER
set -euo pipefail

cd "$(dirname "$0")/.."
architecture=$1 version=$2 folder=$3
case $architecture in x86_64) debian=amd64 ;; aarch64) debian=arm64 ;; esac
staged=target/packaging/$architecture/tree
root=target/packaging/$architecture/deb
rm -rf "$root"
mkdir -p "$root"/{DEBIAN,usr}
cp -r "$staged/." "$root/usr/"
if [ "$architecture" = x86_64 ]; then
  install -D -m 644 -t "$root/usr/lib/systemd/system" packaging/systemd/*.service
  install -D -m 644 packaging/systemd/outhaul.sysusers "$root/usr/lib/sysusers.d/outhaul.conf"
  install -D -m 644 -t "$root/etc/outhaul" packaging/systemd/*.conf
  printf '%s\n' /etc/outhaul/node.conf /etc/outhaul/pool.conf >"$root/DEBIAN/conffiles"
  install -m 755 packaging/deb/postinst packaging/deb/prerm "$root/DEBIAN/"
fi
cat >"$root/DEBIAN/control" <<CONTROL
Package: outhaul
Version: $version
Architecture: $debian
Maintainer: Outhaul's maintainers <outhaul@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= 2.28)
Section: utils
Priority: optional
Description: run unmodified CUDA programs on GPUs of other machines
 The command line, the client library that programs load as libcuda.so.1,
 nodes and pools as services, and a GPU in software.
CONTROL
find "$root" -exec touch --no-dereference --date=@0 {} +
SOURCE_DATE_EPOCH=0 dpkg-deb --root-owner-group -Zxz --build "$root" \
  "$folder/outhaul_${version}_$debian.deb" >/dev/null
echo "$folder/outhaul_${version}_$debian.deb"
