#!/usr/bin/env bash
# Tests the Python package: builds and installs it by pip as a user would, then runs pytest on
# pretended GPUs, or with CuPy on the software GPU.
#
#   run.sh build                           only builds and installs
#   run.sh host|gpu [PYTEST ARGUMENTS]     runs the tests; only `-m soak` runs the long ones
#   run.sh graphs host|cuda [OPTIONS]      runs random graphs, with the options of random_graphs.py
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/built.sh
where=${1:?run.sh needs build, host or gpu}
shift
. python/venv.sh

# A hanging test prints where it hangs. Two processes run tests, because most tests wait for a
# runtime's threads half of the time.
pytest=("$venv/bin/python" -P -m pytest -q -p no:cacheprovider -o faulthandler_timeout=120)
# A hanging test also fails, unless -m selects tests, which may take so long.
[[ " $* " == *" -m "* ]] || pytest+=(-m "not soak" -o faulthandler_exit_on_timeout=true)
case $where in
  build) ;;
  host)
    OUTHAUL=$outhaul exec "${pytest[@]}" -n 2 --dist worksteal \
      python/tests --ignore python/tests/gpu "$@"
    ;;
  gpu)
    OUTHAUL_SOFT_DEVICES=2 exec "$outhaul" run --gpu soft -- \
      "${pytest[@]}" -n 2 --dist worksteal python/tests/gpu "$@"
    ;;
  graphs)
    graphs=("$venv/bin/python" -P python/tests/random_graphs.py --backend "$@")
    [ "${1:-}" != cuda ] \
      || graphs=(env OUTHAUL_SOFT_DEVICES=2 "$outhaul" run --gpu soft -- "${graphs[@]}")
    exec "${graphs[@]}"
    ;;
  *) echo "run.sh: $where is none of build, host, gpu and graphs" >&2; exit 2 ;;
esac
