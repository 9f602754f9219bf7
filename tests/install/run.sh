#!/usr/bin/env bash
# Checks that the result of `make install` works alone: in another folder, as another user, with an
# empty environment and without the repository.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tests/e2e/cases.sh

program=$PWD/target/e2e/13.0-static/vector_add
[ -x "$program" ] || tests/e2e/build.sh 13.0-static/vector_add
work=$(mktemp -d "${TMPDIR:-/tmp}/outhaul-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Installs the existing build, without building again.
make --no-print-directory -o build install PREFIX="$work/tree" >/dev/null
outhaul=$work/tree/bin/outhaul
mkdir "$work/home"
cp "$program" "$work/vector_add"
chmod 755 "$work"

# outside COMMAND...: runs a command as a user who has only the installed tree. Without root, the
# script can neither hide the repository nor become another user.
nobody=65534
cat >"$work/outside" <<OUTSIDE
#!/bin/sh
clean="env -i HOME=$work/home PATH=/usr/bin:/bin"
[ "\$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || { cd / && exec \$clean "\$@"; }
chown -R $nobody:$nobody "$work/home"
exec unshare --mount sh -c 'mount -t tmpfs none "$PWD" && cd / && exec "\$@"' sh \
  setpriv --reuid=$nobody --regid=$nobody --clear-groups \$clean "\$@"
OUTSIDE

# served OUTHAUL PROGRAM ARGUMENTS...: starts a node with these arguments, and runs the program on
# it.
cat >"$work/served" <<'SERVED'
#!/bin/sh
outhaul=$1 program=$2 log=$HOME/serve.log
shift 2
"$outhaul" serve --listen 127.0.0.1:0 "$@" >"$log" 2>&1 &
trap "kill $!" EXIT
for _ in $(seq 600); do
  node=$(sed -n "s/^outhaul: serving .* on //p" "$log")
  [ -z "$node" ] || break
  kill -0 $! 2>/dev/null || break
  sleep 0.1
done
[ -n "$node" ] || { cat "$log"; exit 1; }
"$outhaul" ls --node "$node" | grep -q "Outhaul Software GPU" \
  && "$outhaul" run --node "$node" -- "$program"
SERVED
chmod 755 "$work/outside" "$work/served"
outside() { "$work/outside" "$@"; }

doctor_is_well() {
  outside "$outhaul" doctor >"$work/doctor"
  has_line "$work/doctor" '`outhaul serve` offers the software GPU'
}

[ "$(id -u)" -ne 0 ] || expect "the repository cannot be seen" outside test ! -e "$program"
run_case "run --gpu soft" "$work/outside" "$outhaul" run --gpu soft -- "$work/vector_add"
run_case "serve --gpu soft" "$work/outside" "$work/served" "$outhaul" "$work/vector_add" --gpu soft
run_case "serve" "$work/outside" "$work/served" "$outhaul" "$work/vector_add"
expect "demo" outside "$outhaul" demo
expect "doctor finds everything" doctor_is_well
expect "no library but those of the system is needed" outside \
  sh -c 'found=$(ldd "$1" "$2"/*/libcuda.so.1) && ! echo "$found" | grep "not found"' \
  sh "$outhaul" "$work/tree/lib/outhaul"
finish_cases
