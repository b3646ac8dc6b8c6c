// SPDX-License-Identifier: GPL-3.0-or-later
// A run that never was, with known figures: for reports, exports and comparisons.
#pragma once
#include "engine/telemetry/run.h"

namespace pitwall::test {

struct MadeUp {
  int requests = 300;
  double ttft_ms = 50;  ///< of request i: times 1 … 1.2, in no order
  double rate = 600;    ///< tokens per s, of each second; a little more and less in turn
  int steps = 40;
};

/// Its times are exact to the ns and equal in every call.
Run made_up_run(const MadeUp& wish = {});

}  // namespace pitwall::test
