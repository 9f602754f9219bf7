#!/usr/bin/env bash
# Installs the packages in dist/ into bare root file systems of Debian's releases, as a user would,
# and uses them there, without a compiler, a GPU or the repository.
#
#   packages.sh [RELEASE...]    bullseye, bookworm and trixie by default
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh
. tests/install/roots.sh

[ $# -eq 0 ] || releases=("$@")
wheel=$(ls dist/outhaul-*x86_64*.whl) \
  || { echo "packages.sh: there is no wheel in dist/: run \`make dist\` first" >&2; exit 1; }
deb=$(ls dist/outhaul_*_amd64.deb)
folder=$(mktemp -d "${TMPDIR:-/tmp}/outhaul-packages.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp "$wheel" "$deb" "$folder"

cat >"$folder/wheel" <<'SCRIPT'
set -eu
python3 -m venv /opt/it
begun=$(date +%s)
/opt/it/bin/pip install --quiet --disable-pip-version-check /packages/*.whl
cd /
/opt/it/bin/outhaul demo >/tmp/demo 2>&1 || { cat /tmp/demo; exit 1; }
seconds=$(($(date +%s) - begun))
grep -q 'All programs checked their results' /tmp/demo
/opt/it/bin/outhaul doctor >/tmp/doctor || { cat /tmp/doctor; exit 1; }
! grep -q 'NVML' /tmp/doctor
if /opt/it/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  /opt/it/bin/python -c 'import outhaul, numpy; outhaul.from_array(numpy.arange(10.0))'
else
  /opt/it/bin/python -c 'import outhaul' 2>&1 | grep -q 'need Python 3.10'
fi
/opt/it/bin/pip uninstall --quiet --yes outhaul
[ -z "$(find /opt/it -type f \( -path "*outhaul*" -o -name "libcuda*" \))" ]
echo "pip install and outhaul demo took $seconds s with $(/opt/it/bin/python --version)"
SCRIPT
cat >"$folder/package" <<'SCRIPT'
set -eu
dpkg --install /packages/*.deb >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; exit 1; }
cd /tmp
HOME=/tmp outhaul demo >/tmp/demo 2>&1 || { cat /tmp/demo; exit 1; }
grep -q '^outhaul:' /etc/passwd
test -f /usr/lib/systemd/system/outhaul-node.service -a -f /etc/outhaul/pool.conf
dpkg --purge outhaul >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; exit 1; }
[ ! -e /usr/bin/outhaul ]
echo "dpkg --install, outhaul demo and dpkg --purge"
SCRIPT
cases_limit_s=300
for release in "${releases[@]}"; do
  root "$release"
  for kind in wheel package; do
    export -f enter
    export roots
    run_case "$kind on $release" bash -c 'enter "$@"' bash "$release" "$folder" sh "/packages/$kind"
  done
done
finish_cases
