#!/usr/bin/env bash
# Checks that two releases work together. Builds them from two copies of this tree: a release, and
# the next one, which adds a message at a new level. A client of each works over TCP with a node of
# the other. Half of the conformance suite must pass each way. The one test that needs the new
# message must get an error that says that it is not supported.
#
#   releases.sh              builds both releases and runs the tests
#   releases.sh --build      only builds
set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/e2e/cases.sh
. tests/e2e/cases.sh
top=$PWD folder=$PWD/target/releases
suite=$built/conformance
# The function whose message the next release adds, and the test that calls it.
function=cuGraphExecGetFlags message=GraphExecGetFlags needs_it=graph/instantiated_in_other_ways

# change FILE SED: edits a file of a copy, and fails if the edit changes nothing.
change() {
  local before
  before=$(cksum <"$1")
  sed -i -E "$2" "$1"
  [ "$before" != "$(cksum <"$1")" ] \
    || { echo "releases.sh: '$2' changes nothing in $1" >&2; exit 1; }
}

# release NAME CHANGE: builds a client library and a node from a changed copy of the tree, unless
# they exist. Each copy has its own build folder, because cargo would confuse the builds of the two
# copies. The folder begins with this tree's builds of the crates of others.
release() {
  local tree=$folder/$1/tree made=$folder/$1 source
  source=$({ git ls-files --stage; git diff; } | cksum)
  [ "$source" != "$(cat "$made/source" 2>/dev/null)" ] || return 0
  echo "== building the $1 release"
  rm -rf "$made"
  mkdir -p "$tree/target/release"
  # Files of a build that runs there now may vanish meanwhile, and are not needed.
  for part in .fingerprint build deps; do cp -al "target/release/$part" "$tree/target/release/" \
    || true; done
  find "$tree/target/release" -maxdepth 2 \( -name '*outhaul*' -o -name '*xtask*' \) \
    -exec rm -rf {} +
  git ls-files -z | tar --null -T - -cf - | tar -xmf - -C "$tree"
  cd "$tree"
  change spec/ops.lock 's/^level 1 .*/level 1 0.1.0/'
  "$2"
  (unset CARGO_TARGET_DIR
    cargo run --quiet --release -p xtask -- codegen
    cargo build --quiet --release -p outhaul-client -p outhaul-node --lib --example bare_node)
  cp target/release/libouthaul_client.so "$made/libcuda.so.1"
  cp target/release/examples/bare_node "$made/"
  cp crates/wire/src/generated/messages.rs "$made/"
  cd "$top"
  rm -rf "$tree"
  echo "$source" >"$made/source"
}

# Prints the sums of the levels that a release understands, the oldest first.
levels() { sed -n '/LEVELS/,/;/p' "$folder/$1/messages.rs" | grep -oE '0x[0-9a-f_]{16,}'; }
# Checks that the next release understands the level of the release before it, and one more.
are_two_releases() {
  [ "$(levels older | wc -l) $(levels newer | wc -l)" = "1 2" ] \
    && [ "$(levels newer | head -n 1)" = "$(levels older)" ]
}

# Changes a copy of the tree into the older release, which lacks that function's message.
older() {
  local supported='#\[call\(op = [0-9]+\)\] #\[does\(nothing\)\] #\[soft\]'
  local unsupported='#[unsupported(refused_natively)] #[untyped]'
  change spec/cuda/graphs.rs "/fn $function\(/s/\(.*\)/()/"
  change spec/cuda/graphs.rs "\$!N;/fn $function\(/s/$supported/$unsupported/;P;D"
  change spec/ops.lock "/ $message /d"
}

# Changes a copy of the tree into the next release, with that message at a new level.
newer() {
  change spec/ops.lock "s/^(level 1 .*)/\1\nlevel 2 next/; s/^([0-9]+ $message) 1 /\1 2 /"
}

# serve RELEASE: starts a node of this release.
serve() {
  outhaul=$folder/$1/bare_node
  start_node --gpu "$soft" --cache "$folder/cache"
  export OUTHAUL_NODE=$node OUTHAUL_TRANSPORT=tcp
}

# beside CLIENT NODE HALF: runs one half of the suite with a client and a node of these releases.
beside() {
  local client=$folder/$1/libcuda.so.1 said
  echo "== a client of the $1 release and a node of the $2 one"
  serve "$2"
  "$suite" --jobs "$(nproc)" --half "$3" --without "$needs_it" "$client" \
    | sed '/^ok /d; /^skipped /d' || status=1
  said=$("$suite" "$client" "$needs_it" || true)
  expect "$function is not supported" grep -qE "$needs_it.*NOT_SUPPORTED" <<<"$said" || echo "$said"
  kill "$node_pid"
  wait "$node_pid" || true
}

# Checks that the message works if both sides know it.
next_has_it() {
  serve newer
  "$suite" "$folder/newer/libcuda.so.1" "$needs_it" || return 1
  kill "$node_pid"
}

status=0
release older older
release newer newer
[ "${1:-}" != --build ] || exit 0
expect "what the older release speaks, the newer one does too" are_two_releases
expect "$function is supported from the next release on" next_has_it
beside older newer first
beside newer older second
finish_cases || status=1
exit $status
