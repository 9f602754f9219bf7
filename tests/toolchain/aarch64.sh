#!/usr/bin/env bash
# Prepares what building and running programs for Linux on aarch64 takes, in target/aarch64. What
# the machine has is used; what it lacks is fetched as Debian packages and unpacked, so nothing is
# installed and nobody need be root.
#
#   target/aarch64/bin/              aarch64-linux-gnu-gcc, -g++ and -ar; qemu-aarch64-static
#   target/aarch64/sysroot           what programs find under / when they run
#   target/aarch64/runtime/VERSION/  one libcudart and its headers per version (include, lib)
#
# Exits with 3 and a line that says why when this machine cannot have it.
set -euo pipefail

cd "$(dirname "$0")/../.."
cuda=$PWD/target/cuda
aarch64=$PWD/target/aarch64
tools=(aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ aarch64-linux-gnu-ar qemu-aarch64-static)
runtimes_cu12=(12.4.127 12.9.79)
runtimes_cu13=(13.0.96 13.5.37)

die() { echo "aarch64.sh: $*" >&2; exit 1; }
cannot() { echo "$*: install g++-aarch64-linux-gnu and qemu-user-static (Debian's names)" >&2; \
  exit 3; }

rust_target=aarch64-unknown-linux-gnu
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$rust_target" ]; then
  rustup target add "$rust_target" >/dev/null 2>&1 \
    || { echo "Rust's $rust_target is missing: rustup target add $rust_target" >&2; exit 3; }
fi

stamp=$aarch64/stamp
if cmp -s "$stamp" tests/toolchain/aarch64.sh; then
  exit 0
fi
mkdir -p "$aarch64/bin" "$cuda/wheels"
exec 9>"$aarch64/lock"
flock 9

# fetch PACKAGE...: they and what they need beyond what is installed, unpacked into root/. The lists
# of packages are our own: this machine's may be old or none.
fetch() {
  command -v apt-get dpkg-deb >/dev/null \
    || cannot "this machine lacks $*, and apt-get to fetch them"
  local options=(-qq -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" -o Dir::State::Lists="$aarch64/lists" -o Dir::Cache="$aarch64/cache")
  mkdir -p "$aarch64/lists/partial" "$aarch64/cache/archives/partial" "$aarch64/root"
  echo "fetching $*"
  apt-get "${options[@]}" update >"$aarch64/log" 2>&1 &&
    apt-get "${options[@]}" --yes --download-only --no-install-recommends install "$@" >>"$aarch64/log" 2>&1 ||
    cannot "could not fetch $* (target/aarch64/log says why)"
  local package
  for package in "$aarch64"/cache/archives/*.deb; do dpkg-deb -x "$package" "$aarch64/root"; done
  rm -rf "$aarch64/lists" "$aarch64/cache"
}

missing=()
command -v aarch64-linux-gnu-g++ >/dev/null || missing+=(g++-aarch64-linux-gnu)
command -v qemu-aarch64-static >/dev/null || missing+=(qemu-user-static)
[ ${#missing[@]} -eq 0 ] || fetch "${missing[@]}"

# A compiler that lies elsewhere than it was built for is told where its libraries and its target's
# are.
root=$aarch64/root
for tool in "${tools[@]}"; do
  rm -f "$aarch64/bin/$tool"
  at=$root/usr/bin/$tool
  [ -e "$at" ] || at=$(command -v "$tool")
  if [[ $at != "$root"/* || $tool == qemu* ]]; then
    ln -s "$at" "$aarch64/bin/$tool"
    continue
  fi
  sysroot=
  [[ $tool == *-g* ]] && sysroot=--sysroot=$root
  cat >"$aarch64/bin/$tool" <<WRAPPER
#!/bin/sh
LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu exec $at $sysroot "\$@"
WRAPPER
  chmod +x "$aarch64/bin/$tool"
done
sysroot=/usr/aarch64-linux-gnu
[ -d "$root$sysroot" ] && sysroot=$root$sysroot
ln -sfn "$sysroot" "$aarch64/sysroot"

"$aarch64/bin/aarch64-linux-gnu-g++" -x c++ - -o "$aarch64/hello" <<<'#include <iostream>
int main() { std::cout << "hello\n"; }' && [ "$("$aarch64/bin/qemu-aarch64-static" -L "$aarch64/sysroot" "$aarch64/hello")" = hello ] ||
  cannot "the cross compiler or the emulator does not work"

. tests/toolchain/wheels.sh

# runtime PACKAGE VERSION FOLDER-IN-WHEEL
runtime() {
  local into=$aarch64/runtime/$2 platform=manylinux2014_aarch64
  [ -d "$into" ] && return
  download "$1==$2" "$platform"
  rm -rf "$into.part"
  unpack "$1==$2" "$into.part" "$platform"
  for library in "$into.part/nvidia/$3"/lib/libcudart.so.*; do
    ln -sfn "$(basename "$library")" "$into.part/nvidia/$3/lib/libcudart.so"
  done
  mv "$into.part/nvidia/$3" "$into"
  rm -rf "$into.part"
}
mkdir -p "$aarch64/runtime"
for version in "${runtimes_cu12[@]}"; do runtime nvidia-cuda-runtime-cu12 "$version" cuda_runtime; done
for version in "${runtimes_cu13[@]}"; do runtime nvidia-cuda-runtime "$version" cu13; done
cp tests/toolchain/aarch64.sh "$stamp"
