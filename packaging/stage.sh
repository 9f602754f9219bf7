#!/usr/bin/env bash
# Builds Outhaul for a kind of machine, and arranges the stripped files as a package installs them.
#
#   stage.sh x86_64     builds everything
#   stage.sh aarch64    builds the command line and the client library; nodes and the software GPU
#                       run on x86-64 only
#
# Writes target/packaging/ARCH/tree (bin, lib, include, share), target/packaging/ARCH/python (the
# extension module) and target/packaging/ARCH/symbols. The files need glibc 2.28 or newer.
set -euo pipefail

cd "$(dirname "$0")/.."
. packaging/tools.sh
architecture=$1
glibc=2.28
target=$architecture-unknown-linux-gnu
work=$PWD/target/packaging/$architecture
parts=(client)
[ "$architecture" != x86_64 ] || parts+=(soft)
rustup target add "$target" >/dev/null 2>&1 \
  || [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] ||
  { echo "stage.sh: Rust's $target is missing: rustup target add $target" >&2; exit 1; }

crates=(--package outhaul-cli --package outhaul-client --package outhaul-python)
[ "$architecture" != x86_64 ] || crates+=(--package outhaul-softgpu)
# As maturin does: the interpreter that loads the module has Python's symbols.
PYO3_BUILD_EXTENSION_MODULE=1 cargo zigbuild --quiet --release --target "$target.$glibc" \
  "${crates[@]}"
built=target/$target/release

rm -rf "$work"
mkdir -p "$work"/{tree/{bin,lib/outhaul,include},python,symbols}

# put FILE PLACE MODE: strips the file into its place, and writes its symbols to a file named after
# the place. It uses LLVM's objcopy, which comes with Rust and handles every kind of CPU.
sysroot=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')
objcopy() { LD_LIBRARY_PATH=$sysroot/lib "$sysroot/lib/rustlib/$host/bin/rust-objcopy" "$@"; }
put() {
  local symbols=$work/symbols/${2//\//_}.debug
  mkdir -p "$(dirname "$work/$2")"
  objcopy --only-keep-debug "$1" "$symbols"
  objcopy --strip-all "$1" "$work/$2"
  (cd "$work/symbols" && objcopy --add-gnu-debuglink="$(basename "$symbols")" "$work/$2")
  chmod "$3" "$work/$2"
}
put "$built/outhaul" tree/bin/outhaul 755
put "$built/libouthaul_client.so" tree/lib/outhaul/client/libcuda.so.1 644
[ "$architecture" != x86_64 ] \
  || put "$built/libouthaul_softgpu.so" tree/lib/outhaul/soft/libcuda.so.1 644
put "$built/lib_dag.so" python/_dag.abi3.so 755

# NVML is the client library under a second name. A wheel cannot contain links, so this is an empty
# library that loads the client library.
echo >"$work/empty.c"
python-zig cc -target "$architecture-linux-gnu.$glibc" -shared -nostdlib -s \
  -o "$work/tree/lib/outhaul/client/libnvidia-ml.so.1" "$work/empty.c" \
  -Wl,-soname,libnvidia-ml.so.1 -Wl,--no-as-needed \
  -L"$work/tree/lib/outhaul/client" -l:libcuda.so.1 -Wl,-rpath,'$ORIGIN'
rm "$work/empty.c"
install -m 644 crates/client/include/outhaul.h "$work/tree/include/outhaul.h"
install -D -m 644 LICENSE "$work/tree/share/doc/outhaul/copyright"

# Man pages and completions are the same for all machines. A program for another machine cannot run
# here to print them.
share=target/packaging/x86_64/tree/share
if [ "$architecture" = x86_64 ]; then
  outhaul=$work/tree/bin/outhaul
  "$outhaul" manual "$share/man/man1"
  mkdir -p "$share"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
  "$outhaul" completion bash >"$share/bash-completion/completions/outhaul"
  "$outhaul" completion zsh >"$share/zsh/site-functions/_outhaul"
  "$outhaul" completion fish >"$share/fish/vendor_completions.d/outhaul.fish"
else
  [ -d "$share" ] || { echo "stage.sh: stage x86_64 first" >&2; exit 1; }
  cp -r "$share" "$work/tree/"
fi
