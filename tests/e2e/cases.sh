# Scripts that run programs source this file at the top of the repository. It sets the paths of
# built files, and defines functions that print a line for each case, record its verdict, and print
# the count at the end.

. tests/built.sh

cases_passed=0
cases_failed=0
# Time limit of a case in seconds, against hangs: most cases take a few seconds.
cases_limit_s=${LIMIT_S:-60}
# Time limit for the start of a node, which takes less than a second on an idle machine.
START_SECONDS_MAX=60

# The commands that a script runs must not write verdicts; the script does.
cases_verdicts=${OUTHAUL_VERDICTS:-}
unset OUTHAUL_VERDICTS

# verdict OUTCOME NAME [WHY]: records that a case passed, failed or was skipped, for the suite that
# runs the script. tests/suites/verdicts.py describes the format.
verdict() {
  case $1 in
    passed) cases_passed=$((cases_passed + 1)) ;;
    failed) cases_failed=$((cases_failed + 1)) ;;
  esac
  [ -z "$cases_verdicts" ] \
    || printf '%s\t%s\t%s\n' "$1" "${2//[$'\t\r\n']/ }" "$(tr '\t\r\n' '   ' <<<"${3:-}")" \
      >>"$cases_verdicts"
}

# run_case NAME COMMAND...: runs the command under the time limit. The command must succeed and
# print exactly one line, so that a case fails if a library prints something itself. Prints that
# line, or the whole output if the case fails.
run_case() {
  local name=$1 output shown status=0 start=$EPOCHREALTIME seconds word
  shift
  output=$(timeout --kill-after=5 "$cases_limit_s" "$@" 2>&1 </dev/null) || status=$?
  # The software GPU prints on stderr what it refuses.
  [[ $name != *no_binary* && $name != *driver_api* ]] \
    || output=$(grep -v '^outhaul: the software GPU refuses code' <<<"$output")
  # Messages of the client about a busy machine are not output of the program.
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
    verdict failed "$name" "$word: $(first_failed <<<"$output" || grep -a -m 1 . <<<"$output" \
      || echo "without a word: ${*: -3}")"
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

# first_failed: prints the name and the reason of the first failed test in the output of a suite
# that ran as a case. Fails if there is none.
first_failed() { LC_ALL=C sed -n '/^FAILED /{s/^FAILED *//p;q}' | grep -a .; }

# expect NAME CHECK...: runs a check, which is a function of the script or a command, and must
# succeed. Prints the check's last line, which gives the reason of a failure. If the check runs a
# suite, its first failed test is the reason. If the check prints nothing, prints the check itself.
expect() {
  local output word=ok outcome=passed
  # The check runs in this shell, because it may set variables.
  "${@:2}" >"$cases_said" 2>&1 || { word=FAILED outcome=failed; }
  output=$(tail -n 1 "$cases_said")
  [ "$outcome" = passed ] \
    || output=$(first_failed <"$cases_said" || echo "${output:-without a word: ${*:2}}")
  printf '%-12s %s%s\n' "$word" "$1" "${output:+: $output}"
  verdict "$outcome" "$1" "$output"
  [ "$outcome" = passed ] || sed 's/^/             | /' "$cases_said"
}
cases_said=$(mktemp)

# has_line FILE PATTERN: checks that the file has such a line and prints it; otherwise prints the
# last line.
has_line() {
  grep -a -m 1 -E -- "$2" "$1" || { echo "no '$2', but: $(tail -n 1 "$1")"; return 1; }
}

# moves_pages: checks that Linux moves pages for this process. Otherwise no memory becomes absent.
moves_pages() { target/e2e/13.0-static/pinned_untouched can; }
moves_no_pages="Linux moves no pages for this process"

# Prints the count. Fails if a case failed or if there was no case.
finish_cases() {
  rm -f "$cases_said"
  echo "$cases_passed passed, $cases_failed failed"
  [ "$cases_failed" -eq 0 ] && [ "$cases_passed" -gt 0 ]
}

# await_line FILE PATTERN [PROCESS]: waits for a line in a file and prints the first one. Fails if
# the process ends first, or at the time limit.
await_line() {
  local start=$SECONDS
  until grep -m 1 -E -- "$2" "$1" 2>/dev/null; do
    if [ $((SECONDS - start)) -ge "$START_SECONDS_MAX" ] \
      || { [ -n "${3:-}" ] && ! kill -0 "$3" 2>/dev/null; }; then
      # The process may have written the line after the last check.
      grep -m 1 -E -- "$2" "$1" 2>/dev/null && return
      echo "no line '$2' in $1:" >&2
      cat "$1" >&2
      return 1
    fi
    sleep 0.05
  done
}

# address_of FILE [PROCESS]: prints the address at the end of the first line with one, which a
# listener has printed.
address_of() { await_line "$1" '127\.0\.0\.1:[0-9]+$' "${2:-}" | grep -oE '127\.0\.0\.1:[0-9]+$'; }

# start_node ARGUMENTS...: starts `outhaul serve` on a free port of the loopback. Sets $node to its
# address, $node_pid to its process, and $node_errors to the file with its stderr.
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
