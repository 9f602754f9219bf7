#!/usr/bin/env bash
# Builds a site of the documents into target/site. MkDocs is fetched once, into target/docs; after
# that no network is needed. A page that the navigation lacks, or a link that leads nowhere, fails.
set -euo pipefail

cd "$(dirname "$0")/../.."
folder=$PWD/target/docs
requirements=docs/scripts/requirements.txt
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1

mkdir -p "$folder"
if ! cmp -s "$requirements" "$folder/venv/requirements.txt"; then
  rm -rf "$folder/venv"
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --only-binary=:all: -r "$requirements" || {
    echo "could not fetch MkDocs: check that pip can reach its package index, and try again" >&2
    exit 1
  }
  cp "$requirements" "$folder/venv/"
fi
python3 docs/scripts/site.py "$folder/pages"
log=$folder/build.log
NO_MKDOCS_2_WARNING=1 "$folder/venv/bin/mkdocs" build --strict --clean >"$log" 2>&1 || {
  grep -E "WARNING|ERROR|Aborted" "$log" >&2 || cat "$log" >&2
  exit 1
}
echo "the site is in target/site; open target/site/index.html"
