# Other scripts source this file at the top of the repository. It creates bare root file systems of
# Debian's releases in target/packaging/roots, and runs commands in them. It needs root and
# debootstrap.

roots=$PWD/target/packaging/roots
releases=(bullseye bookworm trixie)

# Exits with 3 and a line with the reason on a machine that cannot create them.
command -v debootstrap >/dev/null && [ "$(id -u)" -eq 0 ] || {
  echo "skipped: bare root file systems need root and debootstrap" \
    "(Debian: apt-get install debootstrap)"
  exit 3
}

# root RELEASE: creates the root file system, once, from the archive that the machine's apt uses.
root() {
  [ -d "$roots/$1" ] && return
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort | uniq -c \
    | sort -rn | awk 'NR == 1 { print $2 }')
  mkdir -p "$roots"
  rm -rf "$roots/$1.part"
  debootstrap --variant=minbase --include=python3,python3-pip,python3-venv,ca-certificates \
    "$1" "$roots/$1.part" "$mirror" >"$roots/$1.log" 2>&1 \
    || { echo "could not create a root file system of $1: see $roots/$1.log"; exit 3; }
  mv "$roots/$1.part" "$roots/$1"
}

# enter RELEASE FOLDER COMMAND...: runs a command in a temporary copy of that root file system. Of
# this machine's files it sees only FOLDER, as /packages, and the files that pip needs to reach a
# package index.
enter() {
  local release=$1 folder=$2 upper
  shift 2
  upper=$(mktemp -d "$roots/upper.XXXXXX")
  mkdir "$upper"/{changed,work,root}
  local variables=(HOME=/root LC_ALL=C.UTF-8 PIP_ROOT_USER_ACTION=ignore
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  [ -z "${PIP_CERT:-}" ] || variables+=("PIP_CERT=$PIP_CERT")
  [ -z "${PIP_INDEX_URL:-}" ] || variables+=("PIP_INDEX_URL=$PIP_INDEX_URL")
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    upper=$1 lower=$2 folder=$3
    shift 3
    mount -t overlay -o "lowerdir=$lower,upperdir=$upper/changed,workdir=$upper/work" \
      none "$upper/root"
    root=$upper/root
    mkdir -p "$root/packages"
    mount --bind "$folder" "$root/packages"
    mount -t proc none "$root/proc"
    mount -t tmpfs none "$root/dev"
    mkdir "$root/dev/shm"
    for device in null zero urandom; do
      touch "$root/dev/$device"
      mount --bind "/dev/$device" "$root/dev/$device"
    done
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    exec chroot "$root" env -i "$@"
  ' bash "$upper" "$roots/$release" "$folder" "${variables[@]}" "$@" </dev/null
  local status=$?
  rm -rf "$upper"
  return $status
}
