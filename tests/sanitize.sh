#!/usr/bin/env bash
# Builds client and node with a sanitizer and runs them against one another: the conformance suite over each transport, and the tests of the crates that
# the sanitizer has most to say about. The software GPU stays as it is: what it compiles while it runs could not be checked anyway.
#
#   sanitize.sh address|thread [FILTER]      FILTER is part of a conformance test's name; with one, the crates' tests are left out
set -euo pipefail

cd "$(dirname "$0")/.."
sanitizer=${1:-}
filter=${2:-}
triple=x86_64-unknown-linux-gnu
folder=$PWD/target/sanitize/$sanitizer
release=$folder/$triple/release
reports=$folder/reports
build=(--quiet --release --target "$triple" --target-dir "$folder")
# The executable holds the sanitizer's runtime, and the libraries that it loads find it there.
flags="-Zsanitizer=$sanitizer -Clink-arg=-rdynamic"
options=log_path=$reports/report
case $sanitizer in
  address)
    export ASAN_OPTIONS=$options
    tests=(-p outhaul-wire -p outhaul-transport -p outhaul-client -p outhaul-cli --lib --test boundary)
    ;;
  thread)
    # Without the standard library built alike, its locks would go unseen.
    if [ ! -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] && ! rustup component add rust-src >/dev/null 2>&1; then
      echo "sanitize thread: skipped: Rust's sources are missing: rustup component add rust-src"
      exit 0
    fi
    build+=(-Zbuild-std)
    # The software GPU's own locks are not seen, so neither is what it does. An exit need not wait a second for reports.
    export TSAN_OPTIONS=$options:ignore_noninstrumented_modules=1:atexit_sleep_ms=0
    # The usual addresses of device memory are where this sanitizer keeps its books.
    export OUTHAUL_ARENA_BASE=0x1000000000
    tests=(-p outhaul-transport -p outhaul-client --lib)
    ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac

# Sanitizers are options of unstable Rust, which the stable compiler has too.
sanitized() { RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo "$@"; }

sanitized build "${build[@]}" -p outhaul-cli -p outhaul-client -p outhaul-conformance
ln -sfn "$PWD/target/release/libouthaul_softgpu.so" "$release/libouthaul_softgpu.so"
rm -rf "$reports"
mkdir -p "$reports"
status=0
if [ -z "$filter" ]; then
  sanitized test "${build[@]}" "${tests[@]}" || status=1
fi

# shellcheck source=tests/e2e/cases.sh
. tests/e2e/cases.sh
outhaul=$release/outhaul
start_node --gpu "$PWD/target/lib/soft/libcuda.so.1" --cache "$folder/cache"
export OUTHAUL_NODE=$node
# The worker has mapped memory at the program's own addresses, and the sanitizers fill both processes at the same ones: whether they are free is chance.
by_chance=mapped/
for transport in tcp shared-memory; do
  echo "-- $sanitizer, $transport"
  OUTHAUL_TRANSPORT=$transport OUTHAUL_LANES=4 "$release/conformance" --without "$by_chance" "$release/libouthaul_client.so" "$filter" | sed '/^ok /d; /^skipped /d' || status=1
done

# A worker's report is nobody's exit code.
if compgen -G "$reports/*" >/dev/null; then
  head -n 60 "$reports"/*
  echo "sanitize $sanitizer: $(find "$reports" -type f | wc -l) processes reported, see target/sanitize/$sanitizer/reports"
  status=1
fi
exit $status
