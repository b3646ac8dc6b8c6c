# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the scripts of this folder; sourced, not run.
shopt -s extglob

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# with_pulse COMMAND…: runs it and passes its output on, stdout and stderr together. While it says nothing, a dot a second
# shows that it is at work. Ninja's "[3/90] …" lines share one line of a terminal. Returns the command's exit status.
with_pulse() {
  local line part='' dots=0 progress='' status columns
  columns=$(tput cols 2>/dev/null || printf 80)
  { "$@" 2>&1 </dev/null; } | {
    while true; do
      status=0
      IFS= read -r -t 1 line || status=$?
      if [ "$status" -gt 128 ]; then # nothing whole within a second
        part+=$line
        printf '.'
        dots=1
        continue
      fi
      line=$part$line
      part=''
      [ "$status" -eq 0 ] || [ -n "$line" ] || break
      if [ "$dots" -eq 1 ]; then
        printf '\n'
        dots=0
      fi
      if [ -t 1 ] && [[ $line == \[+([0-9])/+([0-9])\]* ]]; then
        printf '\r\033[K%s' "${line:0:$((columns - 1))}"
        progress=1
      else
        [ -z "$progress" ] || printf '\n'
        progress=
        printf '%s\n' "$line"
      fi
      [ "$status" -eq 0 ] || break
    done
    [ "$dots" -eq 0 ] && [ -z "$progress" ] || printf '\n'
  }
  return "${PIPESTATUS[0]}"
}

# Fetches the starter model, or says that it is there, and prints its path. $1 is pitwallctl.
fetch_starter() {
  say "Fetching the starter model, SmolLM2 135M"
  if [ -t 2 ]; then # it shows its own progress on a terminal
    "$1" fetch smollm2
  else
    with_pulse "$1" fetch smollm2
  fi
}
