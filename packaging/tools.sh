# Other scripts source this file at the top of the repository. It fetches the tools that building
# packages needs in addition to Rust, as Python wheels, into target/packaging/venv, and puts them
# first in the path. Sets $tools.

tools=$PWD/target/packaging/venv
packages=(ziglang==0.17.1 cargo-zigbuild==0.24.1 auditwheel==6.8.2)
if [ "$(cat "$tools/packages.txt" 2>/dev/null)" != "${packages[*]}" ]; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: \
    "${packages[@]}" || {
    echo "packaging: could not fetch ${packages[*]}: check that pip can reach its package index" >&2
    exit 1
  }
  echo "${packages[*]}" >"$tools/packages.txt"
fi
export PATH=$tools/bin:$PATH
