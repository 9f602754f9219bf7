#!/usr/bin/env bash
# Builds the packages into dist/: wheels, Debian packages, and the symbols stripped from both. `make
# dist` runs it.
#
#   build.sh [x86_64] [aarch64]    builds for these machines; for both by default
set -euo pipefail

cd "$(dirname "$0")/.."
. packaging/tools.sh
architectures=("$@")
[ $# -gt 0 ] || architectures=(x86_64 aarch64)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
mkdir -p dist
for architecture in "${architectures[@]}"; do
  packaging/stage.sh "$architecture"
  wheel=$("$tools/bin/python" packaging/wheel.py "$architecture" "$version" dist)
  echo "$wheel"
  packaging/check.sh "$architecture"
  packaging/deb.sh "$architecture" "$version" dist
  symbols=dist/outhaul-$version-$architecture-symbols.tar.xz
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
    -C "target/packaging/$architecture" -cf - symbols | xz -T0 >"$symbols"
  echo "$symbols"
done
