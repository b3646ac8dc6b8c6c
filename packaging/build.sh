#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds a preset of CMakePresets.json: build.sh [--preset NAME] [TARGET…]. Without targets everything is built.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=release
if [ "${1:-}" = --preset ]; then
  [ $# -ge 2 ] || fail "--preset needs a name, such as release or dev."
  preset=$2
  shift 2
fi
cd "$root"

# Kernels are compiled for the GPUs of this machine; without one for the oldest and the newest that they are tested for.
# Packages are built from the preset alone, for all.
gpus() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sed 's/^90$/90a/; s/$/-real/' | sort -u |
    paste -sd';' -
}
: "${PITWALL_CUDA_ARCHITECTURES:=$(gpus)}"
: "${PITWALL_CUDA_ARCHITECTURES:=80-real;90a-real}"
if [ ! -f "build/$preset/build.ninja" ]; then
  say "Configuring build/$preset"
  with_pulse cmake --preset "$preset" "-DPITWALL_CUDA_ARCHITECTURES=$PITWALL_CUDA_ARCHITECTURES" ||
    fail "CMake could not configure the build; its last lines say why." \
    "If a package is missing, run packaging/install.sh."
fi

# A compiler may take 1.5 GiB; more of them than fit in memory would be killed.
cores=$(nproc)
fitting=$(awk '/^MemAvailable/ {print int($2 / 1024 / 1536)}' /proc/meminfo)
jobs=$((fitting < 1 ? 1 : fitting < cores ? fitting : cores))
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
say "Building build/$preset with $jobs jobs"
with_pulse cmake --build "build/$preset" --parallel "$jobs" "${targets[@]}" ||
  fail "The build failed; the lines above say where."
