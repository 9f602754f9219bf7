# Sourced by the scripts that run programs: one line per case, a count at the end.

cases_passed=0
cases_failed=0
cases_limit_s=${LIMIT_S:-60}

# run_case NAME COMMAND...: runs the command under the time limit. It must succeed and print one
# line, which is shown: a library that prints what the program did not is a failure. On a failure
# all is shown.
run_case() {
  local name=$1 output status=0 start=$EPOCHREALTIME seconds verdict
  shift
  output=$(timeout --kill-after=5 "$cases_limit_s" "$@" 2>&1 </dev/null) || status=$?
  # The software GPU says what it refuses, on stderr.
  [[ $name != *no_binary* && $name != *driver_api* ]] \
    || output=$(grep -v '^outhaul: the software GPU refuses code' <<<"$output")
  seconds=$(((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}) / 1000))
  seconds=$((seconds / 1000)).$(printf %03d $((seconds % 1000)))
  case $status in
    0)
      verdict=ok
      if [[ $output == *$'\n'* ]]; then
        verdict=NOISY status=1
      fi
      ;;
    124 | 137) verdict=TIMEOUT ;;
    *) verdict="FAILED ($status)" ;;
  esac
  printf '%-12s %-38s %8s s  ' "$verdict" "$name" "$seconds"
  if [ "$status" -eq 0 ]; then
    cases_passed=$((cases_passed + 1))
    printf '%s\n' "$output"
  else
    cases_failed=$((cases_failed + 1))
    printf '\n'
    awk '{ line[NR] = $0 }
      END {
        for (i = 1; i <= NR; i++)
          if (NR <= 40 || i <= 20 || i > NR - 19) print line[i]
          else if (i == 21) print "..."
      }' \
      <<<"$output" | sed 's/^/             | /'
  fi
}

# expect NAME CHECK...: the check, a function of the script or a command, succeeds.
expect() {
  if "${@:2}"; then
    echo "ok       $1"
    cases_passed=$((cases_passed + 1))
  else
    echo "FAILED   $1"
    cases_failed=$((cases_failed + 1))
  fi
}

# Ends the script with the count; no case at all is a failure too.
finish_cases() {
  echo "$cases_passed passed, $cases_failed failed"
  [ "$cases_failed" -eq 0 ] && [ "$cases_passed" -gt 0 ]
}

# start_node ARGUMENTS...: starts `outhaul serve` on a free port of the loopback and sets $node to
# its address.
start_node() {
  local log line=
  log=$(mktemp "${TMPDIR:-/tmp}/outhaul-node.XXXXXX")
  "$outhaul" serve --listen 127.0.0.1:0 "$@" >"$log" 2>"$log.err" &
  node_pid=$!
  # shellcheck disable=SC2064
  trap "kill $node_pid 2>/dev/null || true
    wait $node_pid 2>/dev/null || true
    rm -f '$log' '$log.err'" EXIT
  for _ in $(seq 200); do
    line=$(grep -m 1 '^outhaul: serving ' "$log" || true)
    [ -n "$line" ] && break
    kill -0 "$node_pid" 2>/dev/null || break
    sleep 0.1
  done
  node=$(grep -oE '127\.0\.0\.1:[0-9]+' <<<"$line" | tail -n 1 || true)
  if [ -z "$node" ]; then
    echo "the node did not start: $outhaul serve --listen 127.0.0.1:0 $*" >&2
    cat "$log" "$log.err" >&2
    exit 1
  fi
  echo "$line"
}
