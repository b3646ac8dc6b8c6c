#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh checkout to a running Pitwall: installs packages, builds, fetches the starter model, and opens the window;
# without a display it serves on the command line. A second run takes seconds.
#   run.sh [ARGUMENT…]          arguments go to pitwall, or to pitwallctl serve
#   run.sh --check [ARGUMENT…]  one chat through the whole engine instead, timed; arguments go to pitwallctl check
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mode=serve
[ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || mode=window
if [ "${1:-}" = --check ]; then
  mode=check
  shift
fi

bash "$root/packaging/install.sh"
programs=(pitwallctl)
[ "$mode" != window ] || programs+=(pitwall)
bash "$root/packaging/build.sh" "${programs[@]}"
ctl=$root/build/release/app/pitwallctl/pitwallctl

own_model=
for argument in "$@"; do
  case $argument in --model | --model=*) own_model=1 ;; esac
done
model=()
if [ -z "$own_model" ]; then
  fetch_starter "$ctl"
  model=(--model "$("$ctl" fetch smollm2)") # it is there now
fi

case $mode in
  check) exec "$ctl" check "${model[@]}" "$@" ;;
  window) exec "$root/build/release/app/pitwall/pitwall" "${model[@]}" --serve "$@" ;;
  serve)
    say "No display: serving on the command line; Ctrl-C stops it"
    exec "$ctl" serve "${model[@]}" "$@"
    ;;
esac
