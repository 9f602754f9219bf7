#!/usr/bin/env bash
# Builds client, node and software GPU with a sanitizer and runs them together: the conformance
# suite over each transport, and the tests of the crates in which the sanitizer finds most. The
# sanitizer does not check code that the software GPU compiles at run time.
#
#   sanitize.sh address|thread [FILTER]      FILTER is part of a conformance test's name; with one,
#                                            the script runs no tests of crates
#   sanitize.sh --build address|thread       only builds
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
# The executable contains the sanitizer's runtime; libraries that it loads use that one.
flags="-Zsanitizer=$sanitizer -Clink-arg=-rdynamic"
options=log_path=$reports/report
# With a sanitizer, each memory access takes many times as long.
export OUTHAUL_CROWD_STEPS=40 OUTHAUL_CUTS=10000 OUTHAUL_TEST_SECONDS_MAX=120
# A worker writes its report to a file. It would end if it could not open that file.
export BARE_NODE_NO_WALL=files
# These tests need the program's own memory at the same address on the node. With a sanitizer, that
# address is in use there, because both heaps begin at the same address.
by_chance=mapped/registered,reach/registered
case $sanitizer in
  address)
    export ASAN_OPTIONS=$options LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
    # This test needs the node's memory at the same address in the program. This sanitizer uses
    # terabytes of addresses in both processes.
    by_chance+=,managed/a_librarys_variable
    ;;
  thread)
    # If the standard library were not built the same way, the sanitizer would not see its locks.
    if [ ! -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] \
      && ! rustup component add rust-src >/dev/null 2>&1; then
      echo "sanitize thread: skipped: Rust's sources are missing: rustup component add rust-src"
      exit 0
    fi
    build+=(-Zbuild-std)
    # This sanitizer lays out the memory of a process in its own way.
    flags+=' --cfg thread_sanitizer'
    # An exit need not wait a second for reports. A worker that ends with its program does not join
    # its threads, and one of them may have ended already: that is not a leak.
    export TSAN_OPTIONS=$options:suppressions=$PWD/tests/tsan.supp:print_suppressions=0
    TSAN_OPTIONS+=:atexit_sleep_ms=0:report_thread_leaks=0
    # This sanitizer uses the usual addresses of device memory for its own data.
    export OUTHAUL_TUNE=${OUTHAUL_TUNE:+$OUTHAUL_TUNE,}arena-base=0x1000000000
    # The first function on a fiber's stack never returns. This sanitizer counts calls and has room
    # for 65,000 of them in a thread, so a test that runs as many blocks on the software GPU would
    # write outside that room.

    # Spinning threads also run code that otherwise runs only on machines with idle CPUs.
    export OUTHAUL_TUNE=${OUTHAUL_TUNE:+$OUTHAUL_TUNE,}spin=1
    ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac

# Sanitizers are unstable options of Rust; this variable makes the stable compiler accept them.
sanitized() { RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo "$@"; }

sanitized build "${build[@]}" -p outhaul-node -p outhaul-client -p outhaul-softgpu \
  -p outhaul-conformance --lib --bins --example bare_node
rm -rf "$reports"
mkdir -p "$reports"
status=0
if [ -z "$filter" ]; then
  sanitized test "${build[@]}" $only_build \
    -p outhaul-wire -p outhaul-transport -p outhaul-client --lib || status=1
  # These tests give a node a second for some of its work. With the thread sanitizer it takes
  # longer.
  [ "$sanitizer" = thread ] \
    || sanitized test "${build[@]}" $only_build -p outhaul-node --test boundary --test mutations \
      --test ended_handles \
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
  OUTHAUL_TRANSPORT=$transport OUTHAUL_LANES=4 "$instrumented/conformance" --jobs "$(nproc)" \
    --without "$by_chance" "$instrumented/libouthaul_client.so" "$filter" \
    | sed '/^ok /d; /^skipped /d' || status=1
done

# A worker's report does not change any exit code. The address sanitizer also notes that threads of
# a kernel have their own stacks, which is not an error.
found=$(grep -lE 'ERROR: |WARNING: ThreadSanitizer|ThreadSanitizer: ' -r "$reports" || true)
if [ -n "$found" ]; then
  # shellcheck disable=SC2086
  head -n 60 $found
  echo "sanitize $sanitizer: $(wc -w <<<"$found") processes reported errors:" \
    "see target/sanitize/$sanitizer/reports"
  status=1
fi
exit $status
