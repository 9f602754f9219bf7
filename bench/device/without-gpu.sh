#!/usr/bin/env bash
# Runs a command where no NVIDIA device can be opened: in its own mount namespace, whose /dev has
# only the devices that every program needs.
#
#   without-gpu.sh COMMAND...
#     HIDDEN_DEVICES='/dev/nvidia*'   the devices to hide
#     PLACEHOLDER=/dev/nvidiactl      creates an empty file there, because JAX checks that it exists
#                                     before it asks any driver
#
# If one of the devices can still be opened, the script does not start the command.
set -euo pipefail

pattern=${HIDDEN_DEVICES:-/dev/nvidia*}

if [ "${1:-}" != --inside ]; then
  devices=$(compgen -G "$pattern" || true)
  [ -n "$devices" ] \
    || { echo "without-gpu.sh: there is no $pattern on this machine: nothing to hide" >&2; exit 1; }
  exec unshare --mount --propagation private "$BASH" "$0" --inside "$devices" "$@"
fi

devices=$2
shift 2
stage=/mnt  # any folder works: only this namespace sees the mounts
# Without `nodev`, NVIDIA's library would make the device files that it misses and open them.
mount -t tmpfs -o mode=755,nodev tmpfs "$stage"
for name in null zero full random urandom tty; do
  [ -e "/dev/$name" ] || continue
  [[ /dev/$name != $pattern ]] || continue
  : >"$stage/$name"
  mount --bind "/dev/$name" "$stage/$name"
done
for name in shm pts; do
  [ -d "/dev/$name" ] || continue
  mkdir "$stage/$name"
  mount --rbind "/dev/$name" "$stage/$name"
done
ln -s /proc/self/fd "$stage/fd"
ln -s /proc/self/fd/0 "$stage/stdin"
ln -s /proc/self/fd/1 "$stage/stdout"
ln -s /proc/self/fd/2 "$stage/stderr"
mount --rbind "$stage" /dev

# A client has no NVIDIA driver. The machine's NVML would search for the devices at every start,
# which takes milliseconds.
for library in /usr/lib/*/libnvidia-ml.so* /usr/local/nvidia/lib*/libnvidia-ml.so*; do
  if [ -f "$library" ]; then mount --bind /dev/null "$library"; fi
done

[ -c /dev/null ] && echo >/dev/null \
  || { echo "without-gpu.sh: /dev/null does not work in the new namespace" >&2; exit 99; }
while IFS= read -r device; do
  if [ -e "$device" ] || { : <"$device"; } 2>/dev/null; then
    echo "without-gpu.sh: $device can still be opened here: not starting $1" >&2
    exit 99
  fi
done <<<"$devices"
if [ -n "${PLACEHOLDER:-}" ]; then : >"$PLACEHOLDER"; fi
exec "$@"
