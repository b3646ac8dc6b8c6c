// SPDX-License-Identifier: GPL-3.0-or-later
// Where the figures of a run come from: a real device, or a simulator that computes them.
#pragma once
#include "engine/telemetry/run.h"

namespace pitwall {

/// Nothing of it was measured: its times are virtual, its bytes the simulated device's.
inline bool is_simulated(const RunHeader& header) {
  return header.kind == "simulate";
}

}  // namespace pitwall
