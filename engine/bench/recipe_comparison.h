// SPDX-License-Identifier: GPL-3.0-or-later
// A tuning recipe beside its simulation: what each step changes, its figures by both, and whether they go the
// same way.
#pragma once
#include <string>
#include <vector>

#include "engine/bench/tuning_recipe.h"
#include "engine/plan/deployment.h"

namespace pitwall {

struct GpuCount;

struct RecipeChange {
  std::string setting, from, to;  ///< from: in force before the step
};

/// Whether a figure moves as the source says, against the step before for which the source has one.
enum class Direction {
  unknown,  ///< the source has no two figures to compare, or the step was not played
  agrees,   ///< both rise, both fall, or both stay within kUnchanged
  differs
};
inline constexpr double kUnchanged = 0.05;  ///< share by which a figure moves without having changed

struct ComparedFigure {
  double published = 0, simulated = 0;            ///< 0 = not stated; not played
  double published_gain = 0, simulated_gain = 0;  ///< times the first step; 0 = not known
  Direction direction = Direction::unknown;
  /// Simulated over published; 0 = one of them is not known.
  double ratio() const { return published > 0 ? simulated / published : 0; }
};

struct ComparedStep {
  std::string title;
  std::vector<RecipeChange> changes;  ///< of the first step against the defaults
  ComparedFigure tokens_per_s, ttft_ms;
  double tpot_ms = 0;  ///< simulated; 0 = not played
};

/// One for each step of the recipe; `played` may be its first ones alone.
std::vector<ComparedStep> compare(const TuningRecipe& recipe, const std::vector<PlayedStep>& played);

/// One of the recipe's steps, by its place, as the planner takes it: on these GPUs as ranks of one replica,
/// with the workload's lengths and as many requests at once as the server runs.
Result<Deployment> step_deployment(const TuningRecipe& recipe, std::size_t step, const GpuCount& gpus);

}  // namespace pitwall
