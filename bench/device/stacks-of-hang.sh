#!/usr/bin/env bash
# Prints the stacks of all threads of a program that hangs, and of the node's workers on this
# machine. random.sh runs it if a program does not end in time.
#
#   HANGING_PID=123 stacks-of-hang.sh
#
# It uses eu-stack of elfutils if the machine has it (EU_STACK names it), otherwise gdb or cuda-gdb.
# It also prints what Linux reports about each thread.
set -uo pipefail

limit_s=40 # for one process; a debugger that waits for the driver would use all remaining time

# stacks PID: prints the stacks, with the first of these tools that the machine has.
stacks() {
  local tool
  if tool=$(command -v "${EU_STACK:-eu-stack}"); then
    timeout "$limit_s" "$tool" -p "$1" 2>/dev/null
    return
  fi
  tool=$(command -v gdb || command -v cuda-gdb) \
    || { echo "there is no eu-stack, gdb or cuda-gdb"; return; }
  timeout "$limit_s" "$tool" -p "$1" -batch -ex 'thread apply all bt 24' 2>/dev/null \
    | grep -E '^(Thread|#)'
}

for pid in "$HANGING_PID" $(pgrep -f '^/proc/self/exe worker '); do
  echo "=== $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" | cut -c1-100)"
  for task in /proc/"$pid"/task/*; do
    echo "thread ${task##*/} $(cat "$task/comm")" \
      "$(sed -E 's/.*\) (.).*/\1/' "$task/stat") $(cat "$task/wchan" 2>/dev/null)"
  done
  stacks "$pid" | cut -c1-180
done
