// SPDX-License-Identifier: GPL-3.0-or-later
// A golden folder (a small checkpoint with logits and greedy tokens of another implementation) against the
// engine on any device.
#pragma once
#include <filesystem>
#include <vector>

#include "engine/serve/engine.h"

namespace pitwall {

/// A greedy step must be the same where the reference's best logit leads by more than this, and by more than
/// rounding can turn over: kClearErrors times the rms difference of the logits at that step; in a
/// continuation of its own, whose logits are not known, at the folder's worst step.
inline constexpr double kClearMargin = 0.05;
inline constexpr double kClearErrors = 6;

struct GoldenResult {
  double file_l2 = 0;       ///< of a prompt's logits against the folder's, the worst; NaN: not finite
  double reference_l2 = 0;  ///< of prompt and continuation against the reference engine, the worst
  int steps = 0;            ///< greedy steps along the reference's continuation
  bool same_twice = false;  ///< the longest sequence, alone, gives the same bits again
  bool routed = false;      ///< experts are chosen: a near tie that turns over changes a whole row
  int differing_above =
      0;                ///< of the differing steps, those where the reference's margin was above kClearMargin
  int differing = 0;    ///< of those, steps with another best token
  int wrong = 0;        ///< of those, steps where the reference's margin was clear
  int wrong_alone = 0;  ///< continuations of its own that left the reference's at a clear margin
  double largest_error = 0;         ///< rms difference of the logits at a step, the worst
  std::vector<double> leads_alone;  ///< margins at which continuations of its own left the reference's
};

/// Two engines over the same folder; settings and make_backend are given, the rest is filled in.
struct GoldenEngines {
  EngineOptions tested;
  EngineOptions reference;  ///< float32 on the CPU, with the KV format of the tested one where that is coarse
};

/// Folders below `data`/golden that have expected logits, sorted.
std::vector<std::filesystem::path> golden_folders(const std::filesystem::path& data);

/// All prompts of the folder as one ragged batch, with the rotary frequencies that its values were made with;
/// then the reference's continuations, forced and alone.
Result<GoldenResult> check_golden(const std::filesystem::path& folder, GoldenEngines engines);

}  // namespace pitwall
