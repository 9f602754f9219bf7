# Sourced with $PWD the repository by the scripts that run programs: what was built, and a line and a verdict for each case, a count at the end.

. tests/built.sh

cases_passed=0
cases_failed=0
# A guard against hangs: cases take a few seconds.
cases_limit_s=${LIMIT_S:-60}
# A node starts within a second where the machine has nothing else to do.
START_SECONDS_MAX=60

# Verdicts are this script's to write, not those of what it runs.
cases_verdicts=${OUTHAUL_VERDICTS:-}
unset OUTHAUL_VERDICTS

# verdict OUTCOME NAME [WHY]: passed, failed or skipped; kept for the suite that runs the script,
# tests/suites/verdicts.py says how.
verdict() {
  case $1 in
    passed) cases_passed=$((cases_passed + 1)) ;;
    failed) cases_failed=$((cases_failed + 1)) ;;
  esac
  [ -z "$cases_verdicts" ] \
    || printf '%s\t%s\t%s\n' "$1" "${2//[$'\t\r\n']/ }" "$(tr '\t\r\n' '   ' <<<"${3:-}")" \
      >>"$cases_verdicts"
}

# run_case NAME COMMAND...: runs the command under the time limit. It must succeed and print one
# line, which is shown: a library that prints what the program did not is a failure. On a failure
# all is shown.
run_case() {
  local name=$1 output shown status=0 start=$EPOCHREALTIME seconds word
  shift
  output=$(timeout --kill-after=5 "$cases_limit_s" "$@" 2>&1 </dev/null) || status=$?
  # The software GPU says what it refuses, on stderr.
  [[ $name != *no_binary* && $name != *driver_api* ]] \
    || output=$(grep -v '^outhaul: the software GPU refuses code' <<<"$output")
  # What the client says of a busy machine is no output of the program's.
  shown=$(grep -vE '^outhaul: .*(waiting for|asking again|no sign of life)' <<<"$output" || true)
  seconds=$(((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}) / 1000))
  seconds=$((seconds / 1000)).$(printf %03d $((seconds % 1000)))
  case $status in
    0)
      word=ok
      if [[ $shown == *$'\n'* ]]; then
        word=NOISY status=1
      fi
      ;;
    124 | 137) word=TIMEOUT ;;
    *) word="FAILED ($status)" ;;
  esac
  printf '%-12s %-38s %8s s  ' "$word" "$name" "$seconds"
  if [ "$status" -eq 0 ]; then
    verdict passed "$name"
    printf '%s\n' "$output"
  else
    verdict failed "$name" "$word: $(first_failed <<<"$output" || grep -a -m 1 . <<<"$output" || echo "without a word: ${*: -3}")"
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

# first_failed: what a suite within a case says first of a test that failed, the test's name and why; fails where it says so of none.
first_failed() { LC_ALL=C sed -n '/^FAILED /{s/^FAILED *//p;q}' | grep -a .; }

# expect NAME CHECK...: the check, a function of the script or a command, succeeds. Its last line is shown, and says why where it fails, unless a
# suite within it names a test; where there is no line, the check itself is shown.
expect() {
  local output word=ok outcome=passed
  # In this shell, since a check may set variables.
  "${@:2}" >"$cases_said" 2>&1 || { word=FAILED outcome=failed; }
  output=$(tail -n 1 "$cases_said")
  [ "$outcome" = passed ] \
    || output=$(first_failed <"$cases_said" || echo "${output:-without a word: ${*:2}}")
  printf '%-12s %s%s\n' "$word" "$1" "${output:+: $output}"
  verdict "$outcome" "$1" "$output"
  [ "$outcome" = passed ] || sed 's/^/             | /' "$cases_said"
}
cases_said=$(mktemp)

# has_line FILE PATTERN: the file has such a line, which is shown; otherwise its last line is.
has_line() { grep -a -m 1 -E -- "$2" "$1" || { echo "no '$2', but: $(tail -n 1 "$1")"; return 1; }; }

# moves_pages: whether Linux moves pages for this process, without which no memory goes absent.
moves_pages() { target/e2e/13.0-static/pinned_untouched can; }
moves_no_pages="Linux moves no pages for this process"

# Ends the script with the count; no case at all is a failure too.
finish_cases() {
  rm -f "$cases_said"
  echo "$cases_passed passed, $cases_failed failed"
  [ "$cases_failed" -eq 0 ] && [ "$cases_passed" -gt 0 ]
}

# await_line FILE PATTERN [PROCESS]: waits for a line in a file and prints the first one; fails when
# the process ends first, or at the limit.
await_line() {
  local start=$SECONDS
  until grep -m 1 -E -- "$2" "$1" 2>/dev/null; do
    if [ $((SECONDS - start)) -ge "$START_SECONDS_MAX" ] \
      || { [ -n "${3:-}" ] && ! kill -0 "$3" 2>/dev/null; }; then
      # It may have come between the look and the end.
      grep -m 1 -E -- "$2" "$1" 2>/dev/null && return
      echo "no line '$2' in $1:" >&2
      cat "$1" >&2
      return 1
    fi
    sleep 0.05
  done
}

# address_of FILE [PROCESS]: the address that ends the first line that what listens has printed.
address_of() { await_line "$1" '127\.0\.0\.1:[0-9]+$' "${2:-}" | grep -oE '127\.0\.0\.1:[0-9]+$'; }

# start_node ARGUMENTS...: starts `outhaul serve` on a free port of the loopback and sets $node to
# its address, and $node_errors to a file of what it says besides.
start_node() {
  local log
  log=$(mktemp "${TMPDIR:-/tmp}/outhaul-node.XXXXXX")
  node_errors=$log.err
  "$outhaul" serve --listen 127.0.0.1:0 "$@" >"$log" 2>"$log.err" &
  node_pid=$!
  # shellcheck disable=SC2064
  trap "kill $node_pid 2>/dev/null || true
    wait $node_pid 2>/dev/null || true
    rm -f '$log' '$log.err'" EXIT
  if ! node=$(address_of "$log" "$node_pid"); then
    echo "the node did not start: $outhaul serve --listen 127.0.0.1:0 $*" >&2
    cat "$log.err" >&2
    exit 1
  fi
  head -n 1 "$log"
}
