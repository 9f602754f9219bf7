#!/usr/bin/env bash
# Two releases beside each other, built from two copies of this tree: a release, and the next one,
# which brought a message with a level of its own. A client of each works with a node of the other
# over TCP: half of the conformance suite passes each way, and the one test that needs that message
# is told that it is not supported.
#
#   releases.sh              both ways
#   releases.sh --build      builds what that runs
set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=tests/e2e/cases.sh
. tests/e2e/cases.sh
top=$PWD folder=$PWD/target/releases
suite=$built/conformance
# The function whose message the next release brought, and the test that calls it.
function=cuGraphExecGetFlags message=GraphExecGetFlags needs_it=graph/instantiated_in_other_ways

# change FILE SED: a change to a file of a copy, which must find something to change.
change() {
  local before
  before=$(cksum <"$1")
  sed -i -E "$2" "$1"
  [ "$before" != "$(cksum <"$1")" ] \
    || { echo "releases.sh: '$2' changes nothing in $1" >&2; exit 1; }
}

# release NAME CHANGE: builds a client library and a node of a copy of the tree, with a change,
# unless that is done. Each has a folder of its own to build in, which begins with what this tree's
# build made of the crates of others: what cargo made of one copy it would take for the other's.
release() {
  local tree=$folder/$1/tree made=$folder/$1 source
  source=$({ git ls-files --stage; git diff; } | cksum)
  [ "$source" != "$(cat "$made/source" 2>/dev/null)" ] || return 0
  echo "== building the $1 release"
  rm -rf "$made"
  mkdir -p "$tree/target/release"
  # What somebody else is building there may vanish meanwhile, and is not needed.
  for part in .fingerprint build deps; do cp -al "target/release/$part" "$tree/target/release/" \
    || true; done
  find "$tree/target/release" -maxdepth 2 \( -name '*outhaul*' -o -name '*xtask*' \) -exec rm -rf {} +
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

# The sums of the spec's levels that a release speaks, the oldest first.
levels() { sed -n '/LEVELS/,/;/p' "$folder/$1/messages.rs" | grep -oE '0x[0-9a-f_]{16,}'; }
# Two releases, of which the next one speaks what the one before it does, and more.
are_two_releases() {
  [ "$(levels older | wc -l) $(levels newer | wc -l)" = "1 2" ] \
    && [ "$(levels newer | head -n 1)" = "$(levels older)" ]
}

# Its functions are all but that one.
older() {
  change spec/cuda/graphs.rs "/fn $function\(/s/\(.*\)/()/"
  change spec/cuda/graphs.rs "\$!N;/fn $function\(/s/#\[call\(op = [0-9]+\)\] #\[does\(nothing\)\] #\[soft\]/#[unsupported(refused_natively)] #[untyped]/;P;D"
  change spec/ops.lock "/ $message /d"
}

newer() {
  change spec/ops.lock "s/^(level 1 .*)/\1\nlevel 2 next/; s/^([0-9]+ $message) 1 /\1 2 /"
}

# serve RELEASE: a node.
serve() {
  outhaul=$folder/$1/bare_node
  start_node --gpu "$soft" --cache "$folder/cache"
  export OUTHAUL_NODE=$node OUTHAUL_TRANSPORT=tcp
}

# beside CLIENT NODE HALF: two releases, and which half of the suite.
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

# The message is there where both sides know it.
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
