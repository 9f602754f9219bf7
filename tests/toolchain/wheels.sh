# Scripts that fetch Python wheels source this file. It sets $python, and defines download and
# unpack. The scripts must set $cuda and define die.

wheels=$cuda/wheels

python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
  if [ ! -x "$cuda/venv/bin/pip" ]; then
    python3 -m venv "$cuda/venv" \
      || die "python3 has neither pip nor venv: install one (Debian: apt-get install python3-venv)"
  fi
  python=$cuda/venv/bin/python
fi

# download NAME==VERSION [PLATFORM]: fetches the wheel for this machine, or for the platform, into
# $wheels/NAME==VERSION[-PLATFORM]/.
download() {
  local into=$wheels/$1${2:+-$2}
  if compgen -G "$into/*.whl" >/dev/null; then
    return
  fi
  echo "fetching $1"
  rm -rf "$into.part"
  "$python" -m pip download --quiet --no-deps --only-binary=:all: --disable-pip-version-check \
    ${2:+--platform "$2"} --dest "$into.part" "$1" \
    || die "could not fetch $1: check that pip can reach its package index" \
      "(pip download $1), then run this again"
  mv "$into.part" "$into"
}

# unpack NAME==VERSION FOLDER [PLATFORM]: unpacks the wheel, which is a zip file. Python's zipfile
# loses which files are executable, so this function sets the modes.
unpack() {
  local from=$wheels/$1${3:+-$3}
  "$python" - "$from"/*.whl "$2" <<'PYTHON' \
    || die "could not unpack $1: remove $from and run this again"
import os, sys, zipfile
wheel, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for entry in archive.infolist():
        path = archive.extract(entry, folder)
        mode = entry.external_attr >> 16 & 0o777
        if mode and not entry.is_dir():
            os.chmod(path, mode)
PYTHON
}
