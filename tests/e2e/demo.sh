#!/usr/bin/env bash
# The demonstration: compiles three programs with nvcc, unmodified, and runs them over TCP on the
# GPU of a node.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

programs=(vector_add matrix_product streams_events)

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "1. Compile ${programs[*]} with nvcc 13.0; the CUDA runtime is linked statically"
tests/e2e/build.sh "${programs[@]/#/13.0-static/}"

say "2. Without Outhaul: this machine has no CUDA driver, or its own"
target/e2e/13.0-static/vector_add || true

say "3. Start a node that offers the software GPU"
start_node --gpu soft

say "4. The devices of the node"
"$outhaul" ls --node "$node"

failed=0
for program in "${programs[@]}"; do
  say "5. outhaul run --node $node -- target/e2e/13.0-static/$program"
  OUTHAUL_STATS=1 "$outhaul" run --node "$node" -- "target/e2e/13.0-static/$program" \
    || failed=$((failed + 1))
done

if [ "$failed" -ne 0 ]; then
  say "$failed of ${#programs[@]} programs failed"
  exit 1
fi
say "All ${#programs[@]} programs checked their results on the remote GPU"
