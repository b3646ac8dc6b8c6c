// SPDX-License-Identifier: GPL-3.0-or-later
// Goodput: which requests met what their user was promised.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

/// Limits in ms; a request is good when it meets all that are given.
struct Objectives {
  std::optional<double> ttft, tpot, e2el;
  std::string preset;  ///< the MLPerf name that they came from; may be empty
  std::string note;    ///< what to know of that preset

  bool any() const { return ttft || tpot || e2el; }
  /// An undefined (NaN) time makes its limit void, as vLLM has it; or breaks it, as AIPerf has it.
  bool met_by(double ttft_ms, double tpot_ms, double e2el_ms, bool undefined_is_bad) const;
};

/// Each word is "ttft:ms", "tpot:ms", "e2el:ms", or "mlperf:NAME" for the limits of an MLPerf Inference
/// server scenario, which speak of p99. The error lists what there is.
Result<Objectives> parse_objectives(const std::vector<std::string>& words);

}  // namespace pitwall
