// SPDX-License-Identifier: GPL-3.0-or-later
// A golden folder (a small checkpoint with logits and greedy tokens of another implementation) against the
// engine on any device.
#pragma once
#include <filesystem>
#include <vector>

#include "engine/serve/engine.h"

namespace pitwall {

struct GoldenLimits {
  double relative_l2 = 2e-2;   ///< of the logits of a prompt
  double clear_margin = 0.05;  ///< a greedy step may differ where the best logit leads by no more than this
};

struct GoldenResult {
  double worst_l2 = 0;  ///< over the prompts; NaN: a logit was not finite
  int steps = 0;        ///< greedy steps along the reference's tokens
  int differing = 0;    ///< of those, steps with another best token
  int wrong = 0;        ///< of those, steps where the margin was clear
  int free_wrong = 0;   ///< prompts whose own continuation left the reference's where that was clear
  bool within(const GoldenLimits& limits) const {
    return worst_l2 <= limits.relative_l2 && wrong == 0 && free_wrong == 0;
  }
};

/// Folders below `data`/golden that have expected logits, sorted.
std::vector<std::filesystem::path> golden_folders(const std::filesystem::path& data);

/// All prompts of the folder as one ragged batch, then their continuations. `options` has settings and
/// make_backend; model and prompt_logits are filled in.
Result<GoldenResult> check_golden(const std::filesystem::path& folder, EngineOptions options,
                                  const GoldenLimits& limits);

}  // namespace pitwall
