#!/usr/bin/env bash
# On a machine with a GPU: runs test suites of other projects natively and remotely on NVIDIA's
# driver, and compares them test by test in one table. The clients run where no /dev/nvidia* can be
# opened. Builds nothing: pack.sh and suites/fetch.sh made the folders on another machine. A test
# that hangs or ends its process counts as failed, and the other tests continue. Writes JUnit files
# and output to suites.tar.gz in $OUT, or in FOLDER; suites/compare.py reads the JUnit files
# anywhere.
#
#   suites.sh FOLDER SUITE...
#     SUITE: torch, segments (torch again, its memory in expandable segments), tensors, cupy,
#            numba, nccl
#     WAYS='native tcp shared-memory'   the first is compared with each of the others
#     SHARE=1/4         runs a fourth of the tests, the same each time
#     SELECT=...        runs the tests that this expression selects, as with pytest -k
#     FOLDERS='core cuda'               folders of CuPy's or Numba's tests
#     JOBS=N            processes at once, if the suite allows it
#     TOGETHER=1        runs all ways at once: faster, but the times mean nothing
#     LIMIT_S=280 TEST_LIMIT_S=60       time limits of one run and of one test, in seconds
#     SUITES=target/suites              the folder that fetch.sh filled
#     GPU=soft          runs on the software GPU of `make build` (FOLDER is target then), with the
#                       toolkit of the tests
set -euo pipefail

cd "$(dirname "$0")/../.."
. bench/device/folder.sh
shift
chmod +x bench/device/without-gpu.sh
read -ra ways <<<"${WAYS:-native tcp shared-memory}"
suites=$(realpath -s "${SUITES:-target/suites}")
here=$PWD/bench/device
limit_s=${LIMIT_S:-280}
status=0
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export PYTHONPATH=$here/suites TEST_LIMIT_S=${TEST_LIMIT_S:-60} \
  CUPY_CACHE_DIR=${CUPY_CACHE_DIR:-$work/caches/cupy} OUTHAUL_LOG=${OUTHAUL_LOG:-0}
python=${PYTHON:-python3}

native=(env)
remote=(env PLACEHOLDER=/dev/nvidiactl "$here/without-gpu.sh")
if [ "$gpu" = soft ]; then
  toolkit=$PWD/target/cuda/toolkit
  export CUDA_PATH=$toolkit CUDA_HOME=$toolkit LD_LIBRARY_PATH=$toolkit/lib \
    CUPY_COMPILE_WITH_PTX=1 OUTHAUL_SOFT_CC=${OUTHAUL_SOFT_CC:-12.0}
  native=(env LD_LIBRARY_PATH="$folder/release/outhaul-soft:$toolkit/lib")
  remote=(env)
fi

"$outhaul" serve --listen 127.0.0.1:0 --gpu "$gpu" --cache "$work/caches/node" \
  >"$work/node.log" 2>&1 &
for _ in $(seq 300); do grep -q ' on 127' "$work/node.log" && break; sleep 0.1; done
node=$(sed -nE 's|.* on (127\.0\.0\.1:[0-9]+)$|\1|p' "$work/node.log" | head -n 1)
[ -n "$node" ] || { cat "$work/node.log"; echo "suites.sh: the node did not start" >&2; exit 1; }

# over WAY COMMAND...: runs the command on this machine's own driver, or on the node.
over() {
  local way=$1
  shift
  case $way in
    native) "${native[@]}" "$@" ;;
    *) OUTHAUL_TRANSPORT=$way "${remote[@]}" "$outhaul" run --node "$node" -- "$@" ;;
  esac
}

# tests SUITE WAY JOBS ARGUMENT...: runs pytest in this folder. On a signal pytest still writes its
# results. Other values of --dist would restart a test that ends its process again and again.
tests() {
  local suite=$1 way=$2 jobs=${JOBS:-$3} status=0
  shift 3
  over "$way" timeout --signal=INT --kill-after=20 "$limit_s" \
    "$python" -m pytest -p limits -p no:cacheprovider -q --tb=short \
    --numprocesses "$jobs" --dist load --max-worker-restart=1000 \
    --junit-xml="$work/$suite/$way.xml" ${SELECT:+-k "$SELECT"} "$@" \
    >"$work/$suite/$way.log" 2>&1 </dev/null || status=$?
  case $status in 124 | 137) echo "$suite over $way took longer than $limit_s s" ;; esac
}

# run SUITE WAY
run() {
  local package
  local -a modules
  case $1 in
    torch) cd "$suites/torch" && tests "$@" 1 test_cuda{,_primary_ctx,_trace,_multigpu}.py ;;
    segments) cd "$suites/torch" \
      && PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tests "$@" 1 test_cuda.py ;;
    tensors) cd "$suites/torch" && SELECT=${SELECT:-cuda or CUDA} tests "$@" 4 test_torch.py ;;
    cupy)
      read -ra modules <<<"${FOLDERS:-core cuda creation indexing linalg fft random sorting}"
      modules=("${modules[@]/#/tests/cupy_tests/}")
      cd "$suites/cupy" && tests "$@" 4 "${modules[@]/%/_tests}"
      ;;
    numba)
      read -ra modules <<<"${FOLDERS:-cudadrv cudapy doc_examples nocuda nrt}"
      export PYTHONPATH=$PYTHONPATH:$suites/numba
      # The tests are in the package, and their names are their paths in it.
      package=$("$python" -c 'import importlib.util as u; print(
        u.find_spec("numba.cuda").submodule_search_locations[0])')
      cd "$work/numba" \
        && tests "$@" 4 --config-file="$here/suites/numba.ini" --rootdir="$package" \
          --pyargs "${modules[@]/#/numba.cuda.tests.}"
      ;;
    nccl)
      chmod +x "$suites"/nccl/*_perf
      over "$2" timeout --kill-after=20 "$limit_s" \
        "$python" "$here/suites/nccl.py" "$suites/nccl" "$work/nccl/$2.xml" \
        2>"$work/nccl/$2.log" | sed "s/^/$2: /" || true
      ;;
    *) echo "suites.sh: there is no suite $1" >&2; exit 2 ;;
  esac
}

for suite in "$@"; do
  mkdir -p "$work/$suite"
  runs=()
  for way in "${ways[@]}"; do
    (run "$suite" "$way") &
    runs+=($!)
    [ -n "${TOGETHER:-}" ] || wait $! || true
  done
  wait "${runs[@]}" || true
  files=("${ways[@]/#/$work/$suite/}")
  "$python" "$here/suites/compare.py" "$suite" "${files[@]/%/.xml}" || status=1
  tar -C "$work" --exclude=./caches -czf "$into/suites.tar.gz" .
done
exit $status
