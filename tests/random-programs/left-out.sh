# Sourced by run.sh and bench/device/random.sh: what random programs leave out until it works, and
# why. `left_out WAY` prints the names; a way is native, soft, shared-memory or tcp. What is not
# promised anywhere is left out everywhere.
left_out() {
  # Whether cuMemAllocAsync in the legacy stream waits for streams that block, and they for it, is
  # not documented.
  local names=pooled-legacy
  case $1 in
    native)
      # The model counts on more than NVIDIA's driver keeps: docs/random-programs.md says where.
      # Remotely it is kept.
      names+=,legacy,graph-pageable
      ;;
    soft) ;;
    *)
      # The node has events of its own in a stream, behind what the program knows to be done.
      names+=,queries
      ;;
  esac
  if [ "$1" = tcp ]; then
    # Pinned memory that a graph copies is refused to a graph's kernel that is the first to use it
    # by its plain address.
    names+=,graph-host-copies
  fi
  printf '%s\n' "$names"
}
