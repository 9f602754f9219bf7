#!/usr/bin/env bash
# Builds client, node and software GPU with a sanitizer and runs them against one another: the
# conformance suite over each transport, and the tests of the crates that the sanitizer has most to
# say about. What the software GPU compiles while it runs is not checked.
#
#   sanitize.sh address|thread [FILTER]      FILTER is part of a conformance test's name; with one,
#                                            the crates' tests are left out, and
# every test goes over both transports, as with SANITIZE_WHOLE=1
#   sanitize.sh --build address|thread       builds what the other would run
set -euo pipefail

cd "$(dirname "$0")/.."
only_build=
if [ "${1:-}" = --build ]; then
  only_build=--no-run
  shift
fi
sanitizer=${1:-}
filter=${2:-}
triple=x86_64-unknown-linux-gnu
folder=$PWD/target/sanitize/$sanitizer
instrumented=$folder/$triple/sanitize
reports=$folder/reports
build=(--quiet --profile sanitize --target "$triple" --target-dir "$folder")
# The executable holds the sanitizer's runtime, and the libraries that it loads find it there.
flags="-Zsanitizer=$sanitizer -Clink-arg=-rdynamic"
options=log_path=$reports/report
# Every access costs many times what it does otherwise.
export OUTHAUL_CROWD_STEPS=40 OUTHAUL_CUTS=10000 OUTHAUL_TEST_SECONDS_MAX=120
# A worker's report is a file, and one that cannot write it ends.
export BARE_NODE_NO_WALL=files
# The program's own memory is to lie at the same address on the node: with a sanitizer, both heaps
# begin at the same one.
by_chance=mapped/registered,reach/registered
case $sanitizer in
  address)
    export ASAN_OPTIONS=$options LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
    # So is the node's memory in the program, where this sanitizer takes terabytes, as it does on
    # the node.
    by_chance+=,managed/a_librarys_variable
    ;;
  thread)
    # Without the standard library built alike, its locks would go unseen.
    if [ ! -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] \
      && ! rustup component add rust-src >/dev/null 2>&1; then
      echo "sanitize thread: skipped: Rust's sources are missing: rustup component add rust-src"
      exit 0
    fi
    build+=(-Zbuild-std)
    # It has a layout of its own for the memory of a process.
    flags+=' --cfg thread_sanitizer'
    # An exit need not wait a second for reports. A worker that ends at its program's end does not
    # join its threads first, and one of them may just have ended by itself: that is no leak.
    export TSAN_OPTIONS=$options:suppressions=$PWD/tests/tsan.supp:print_suppressions=0:atexit_sleep_ms=0:report_thread_leaks=0
    # The usual addresses of device memory are where this sanitizer keeps its books.
    export OUTHAUL_ARENA_BASE=0x1000000000
    # The first function on a fiber's stack never returns, and this sanitizer, which counts calls,
    # has room for 65,000 of them in a thread: a test that runs so many blocks on the software GPU
    # ends in memory that is not its own. Also what happens only where processors are to spare.
    export OUTHAUL_LOOK=1
    ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac

# Sanitizers are options of unstable Rust, which the stable compiler has too.
sanitized() { RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo "$@"; }

sanitized build "${build[@]}" -p outhaul-node -p outhaul-client -p outhaul-softgpu -p outhaul-conformance --lib --bins --example bare_node
rm -rf "$reports"
mkdir -p "$reports"
status=0
if [ -z "$filter" ]; then
  sanitized test "${build[@]}" $only_build -p outhaul-wire -p outhaul-transport -p outhaul-client --lib || status=1
  # These give a node a second for some of what it does, which it keeps to with the address
  # sanitizer only.
  [ "$sanitizer" = thread ] \
    || sanitized test "${build[@]}" $only_build -p outhaul-node --test boundary --test mutations \
    || status=1
fi
[ -z "$only_build" ] || exit $status

# shellcheck source=tests/e2e/cases.sh
. tests/e2e/cases.sh
outhaul=$instrumented/examples/bare_node
start_node --gpu "$instrumented/libouthaul_softgpu.so" --cache "$folder/cache"
export OUTHAUL_NODE=$node
for transport in tcp shared-memory; do
  echo "-- $sanitizer, $transport"
  OUTHAUL_TRANSPORT=$transport OUTHAUL_LANES=4 "$instrumented/conformance" --jobs "$(nproc)" --without "$by_chance" "$instrumented/libouthaul_client.so" "$filter" | sed '/^ok /d; /^skipped /d' || status=1
done

# A worker's report is nobody's exit code. The address sanitizer also remarks that threads of a
# kernel have stacks of their own, which is no error.
found=$(grep -lE 'ERROR: |WARNING: ThreadSanitizer|ThreadSanitizer: ' -r "$reports" || true)
if [ -n "$found" ]; then
  # shellcheck disable=SC2086
  head -n 60 $found
  echo "sanitize $sanitizer: $(wc -w <<<"$found") processes reported, see target/sanitize/$sanitizer/reports"
  status=1
fi
exit $status
