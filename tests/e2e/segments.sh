#!/usr/bin/env bash
# Checks memory shared by key, with the C example, on both transports. The programs run one after
# the other and at once, of one tenant and of two. NODE=HOST:PORT names a node that already runs,
# which must be of this build.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

example=$PWD/target/e2e/shared_memory
mkdir -p target/e2e
if [ -z "${NODE:-}" ] || [ ! -x "$example" ]; then
  tests/toolchain/fetch.sh
  g++ -x c -Wall -Werror -o "$example" examples/shared_memory.c -I crates/client/include \
    -isystem target/cuda/toolkit/include -L "$built/outhaul-client" -lcuda
fi
if [ -n "${NODE:-}" ]; then node=$NODE; else start_node --gpu soft; fi

of() { "$outhaul" run --node "$node" ${1:+--tenant "$1"} -- "$example" "${@:2}"; }
# fails_with WORDS TENANT...: checks that the example fails and prints these words.
fails_with() {
  local said
  if said=$(of "${@:2}" 2>&1); then echo "it did not fail: $said"; return 1; fi
  grep -q "$1" <<<"$said" || { echo "$said"; return 1; }
  echo "$said"
}
# equals FOUND EXPECTED: checks that both are the same.
equals() { [ "$1" = "$2" ] || { echo "found '$1', expected '$2'"; return 1; }; }
passes_on() {
  of a put "$1" 42 && equals "$(of a get "$1")" 42 && of a put "$1" 43 && of a get "$1"
}
others_read() { of a allow "$1" && equals "$(of b get "$1")" 43 && of b stat "$1"; }
# Checks that a segment removed while a program has it attached remains until the program ends, and
# that its key is free at once. The shell of a case does not stop at a command that fails, so each
# command states what its failure means.
removed_while_held() {
  local held
  coproc holder { of a hold "$1"; }
  read -r held <&"${holder[0]}" && equals "$held" attached || return 1
  of a remove "$1" && of a put "$1" 44 || return 1
  eval "exec ${holder[1]}>&-"
  read -r held <&"${holder[0]}" && equals "$held" 43 || return 1
  equals "$(of a get "$1")" 44 && of a remove "$1" && echo "43, and 44 under the same key"
}

export -f of equals fails_with passes_on others_read removed_while_held
export outhaul node example
key=1000
for transport in shared-memory tcp; do
  export OUTHAUL_TRANSPORT=$transport
  key=$((key + 1))
  run_case "one program after the other, $transport" bash -c "passes_on $key"
  run_case "another tenant may not, $transport" \
    bash -c "fails_with CUDA_ERROR_NOT_PERMITTED b get $key"
  run_case "nor a program of none, $transport" \
    bash -c "fails_with CUDA_ERROR_NOT_PERMITTED '' get $key"
  run_case "nor remove it, $transport" bash -c "fails_with CUDA_ERROR_NOT_PERMITTED b remove $key"
  run_case "until it is let, $transport" bash -c "others_read $key"
  run_case "and then only reads, $transport" \
    bash -c "fails_with CUDA_ERROR_NOT_PERMITTED b hold $key"
  run_case "removed while attached, $transport" bash -c "removed_while_held $key"
  run_case "what is gone is not found, $transport" \
    bash -c "fails_with CUDA_ERROR_NOT_FOUND a get $key"
done
finish_cases
