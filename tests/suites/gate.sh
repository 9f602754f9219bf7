#!/usr/bin/env bash
# Runs the gate on the committed HEAD, in a clone under target/gate. The clone keeps its build
# folder, so that a second run builds only what changed. On success, target/gate/passed has the
# tree's hash.
set -euo pipefail

cd "$(dirname "$0")/../.."
root=$PWD
# HEAD may change during the run.
commit=$(git rev-parse HEAD)
clone=$root/target/gate/clone
mkdir -p target/gate
exec 9>target/gate/lock
flock --nonblock 9 || { echo "gate.sh: another gate runs here" >&2; exit 1; }
[ -d "$clone/.git" ] || git clone --quiet --shared --no-checkout "$root" "$clone"
git -C "$clone" fetch --quiet "$root" HEAD
git -C "$clone" checkout --quiet --force --detach "$commit"
git -C "$clone" clean --quiet -d --force
[ -z "$(git status --porcelain)" ] || echo "gate.sh: uncommitted changes are not tested"
start=$SECONDS
(cd "$clone" && env -u MAKEFLAGS -u MAKELEVEL -u PROFILE .ci/run)
git rev-parse "$commit^{tree}" >target/gate/passed
echo "passed after $((SECONDS - start)) s: $(git log -1 --format='%h %s' "$commit")"
