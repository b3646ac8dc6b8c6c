#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh checkout to test results: installs packages, builds everything, fetches the starter model, runs all tests.
# Ends with CTest's summary. Arguments go to ctest, such as -R http or -L unit.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bash "$root/packaging/install.sh"
bash "$root/packaging/build.sh"
fetch_starter "$root/build/release/app/pitwallctl/pitwallctl" ||
  say "The tests go on without the starter model; those that need it will say so."
with_pulse ctest --test-dir "$root/build/release" --output-on-failure -j2 "$@"
