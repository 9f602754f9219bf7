#!/usr/bin/env bash
# Installs what some tests of the soak need and a machine may lack, as Debian's packages: etcd,
# libfaketime and a browser.
#
#   services.sh [COMMAND...]     then runs the command, with OUTHAUL_FAKETIME set
set -euo pipefail

missing=()
command -v etcd >/dev/null || missing+=(etcd-server)
command -v chromium >/dev/null || missing+=(chromium)
faketime=$(find /usr/lib /usr/lib64 -name libfaketime.so.1 2>/dev/null | head -n 1)
[ -n "$faketime" ] || missing+=(libfaketime)
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ] || {
    echo "services.sh: install ${missing[*]} (Debian's names), or run this as root on Debian" >&2
    exit 1
  }
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${missing[@]}"
  faketime=$(find /usr/lib /usr/lib64 -name libfaketime.so.1 | head -n 1)
fi
[ $# -eq 0 ] || OUTHAUL_FAKETIME=$faketime exec "$@"
