# Sourced by run.sh and bench/device/random.sh: the features that random programs leave out until
# they work, and the reasons. `left_out WAY` prints the names; a way is native, soft, shared-memory
# or tcp. Features without any documented promise are left out everywhere.
left_out() {
  # It is not documented whether cuMemAllocAsync in the legacy stream waits for blocking streams,
  # and they for it.
  local names=pooled-legacy
  case $1 in
    native)
      # The model expects more than NVIDIA's driver keeps: docs/random-programs.md says where.
      # Outhaul keeps it.
      names+=,legacy,graph-pageable
      ;;
    soft) ;;
    *)
      # The node has events of its own in a stream, after the work that the program knows to be
      # done.
      names+=,queries
      ;;
  esac
  if [ "$1" = tcp ]; then
    # If a graph copies pinned memory, a graph's kernel must not be the first to use it by its plain
    # address: the node refuses that.
    names+=,graph-host-copies
  fi
  printf '%s\n' "$names"
}
