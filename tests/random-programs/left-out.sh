# run.sh and bench/device/random.sh source this file. It lists the features that random programs
# leave out until they work, with the reasons. `left_out WAY` prints the names; WAY is native, soft,
# shared-memory or tcp. The program itself leaves out what CUDA does not document.
left_out() {
  local names=
  case $1 in
    native)
      # The model expects an order that NVIDIA's driver does not keep (docs/random-programs.md).
      # Outhaul keeps it.
      names+=,legacy,graph-pageable
      ;;
    soft) ;;
    *)
      # The node adds its own events to a stream, after work that the program knows to be done.
      names+=,queries
      ;;
  esac
  if [ "$1" = tcp ]; then
    # If a graph copies pinned memory, the first user of its plain address must not be a kernel of a
    # graph: the node refuses that.
    names+=,graph-host-copies
  fi
  printf '%s\n' "$names"
}
