// SPDX-License-Identifier: GPL-3.0-or-later
// TuningRecipe: a known way of tuning a deployment step by step (profiles/recipes), played in the simulator.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bench/simulated_run.h"
#include "engine/settings/settings.h"

namespace pitwall {

struct RecipeStep {
  std::string title;
  std::string changes;  ///< settings as a JSON object; they add to those of the steps before
  double published_tokens_per_s = 0, published_ttft_ms = 0;  ///< by the recipe's source; 0 = not stated
};

struct TuningRecipe {
  std::string name, title, source;
  std::string model;              ///< as read_outline takes it
  std::string engine;             ///< whose step times: "vllm"
  std::vector<std::string> gpus;  ///< on which it is played: "A100-80Gx8"
  std::string workload;           ///< by name
  std::vector<RecipeStep> steps;
  std::vector<std::string> notes;  ///< where simulation and source differ, and why; for people
};

/// The error names the key, or the setting with its value.
Result<TuningRecipe> parse_recipe(std::string_view json);

const std::vector<TuningRecipe>& tuning_recipes();        ///< the embedded ones
Result<TuningRecipe> find_recipe(std::string_view name);  ///< the error lists those that exist

struct PlayedStep {
  Settings settings;  ///< all that hold in this step
  SimulatedRun run;
};

/// After each step, in their order; false = no more of them.
using StepPlayed = std::function<bool(const PlayedStep& step)>;

/// Clients keep as many requests open as the server runs at once. `wish` says model and GPUs alone. All
/// steps, or those up to the one after which `on_played` ended it.
Result<std::vector<PlayedStep>> play(const TuningRecipe& recipe, const SimulationWish& wish,
                                     const StepPlayed& on_played = {});

}  // namespace pitwall
