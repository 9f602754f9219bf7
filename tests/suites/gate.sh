#!/usr/bin/env bash
# Runs the gate on the committed HEAD, in a clone of its own under target/gate whose build folder
# stays, so that the second run takes as long as what changed. On success the tree's hash is in
# target/gate/passed.
set -euo pipefail

cd "$(dirname "$0")/../.."
root=$PWD
# HEAD may be another commit by the end.
commit=$(git rev-parse HEAD)
clone=$root/target/gate/clone
mkdir -p target/gate
exec 9>target/gate/lock
flock --nonblock 9 || { echo "gate.sh: another gate runs here" >&2; exit 1; }
[ -d "$clone/.git" ] || git clone --quiet --shared --no-checkout "$root" "$clone"
git -C "$clone" fetch --quiet "$root" HEAD
git -C "$clone" checkout --quiet --force --detach "$commit"
git -C "$clone" clean --quiet -d --force
[ -z "$(git status --porcelain)" ] || echo "gate.sh: what is not committed is not tested"
start=$SECONDS
(cd "$clone" && env -u MAKEFLAGS -u MAKELEVEL -u PROFILE .ci/run)
git rev-parse "$commit^{tree}" >target/gate/passed
echo "passed after $((SECONDS - start)) s: $(git log -1 --format='%h %s' "$commit")"
