// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/tuning_recipe.h"

#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/bench/workload.h"

namespace pitwall {

std::span<const std::string_view> embedded_recipes();  // written by CMake from profiles/recipes

namespace {

using nlohmann::json;

Error bad_recipe(std::string why) {
  return {Error::Kind::invalid_input, "A recipe cannot be read", std::move(why),
          "Compare it with the files of profiles/recipes", ""};
}

RecipeStep parse_step(const json& document) {
  RecipeStep step;
  document.at("title").get_to(step.title);
  step.changes = document.at("settings").dump();
  const json& published = document.at("published");
  step.published_tokens_per_s = published.value("tokens_per_s", 0.0);
  step.published_ttft_ms = published.value("ttft_ms", 0.0);
  return step;
}

}  // namespace

Result<TuningRecipe> parse_recipe(std::string_view text) {
  try {
    const json document = json::parse(text);
    TuningRecipe recipe;
    document.at("name").get_to(recipe.name);
    document.at("title").get_to(recipe.title);
    document.at("source").get_to(recipe.source);
    document.at("model").get_to(recipe.model);
    document.at("engine").get_to(recipe.engine);
    document.at("gpus").get_to(recipe.gpus);
    document.at("workload").get_to(recipe.workload);
    for (const json& step : document.at("steps")) recipe.steps.push_back(parse_step(step));
    document.at("notes").get_to(recipe.notes);
    if (recipe.steps.empty()) return bad_recipe("steps is empty");
    Settings settings;
    for (const RecipeStep& step : recipe.steps) {
      if (auto known = settings.load_json(step.changes); !known) return bad_recipe(known.error().text());
    }
    return recipe;
  } catch (const json::exception& problem) {
    return bad_recipe(problem.what());
  }
}

const std::vector<TuningRecipe>& tuning_recipes() {
  static const std::vector<TuningRecipe> recipes = parse_profiles(embedded_recipes(), parse_recipe);
  return recipes;
}

Result<TuningRecipe> find_recipe(std::string_view name) {
  if (const TuningRecipe* recipe = find_profile(tuning_recipes(), name)) return *recipe;
  return Error{Error::Kind::not_found, "There is no recipe " + quote_for_message(name), "",
               "These exist: " + profile_names(tuning_recipes()), "recipe"};
}

Result<std::vector<PlayedStep>> play(const TuningRecipe& recipe, const SimulationWish& wish,
                                     const StepPlayed& on_played) {
  const auto workload = find_workload(recipe.workload);
  if (!workload) return workload.error();
  constexpr std::uint64_t kSeed = 0;
  const Trace trace = make_trace(*workload, workload->requests, kSeed);
  std::vector<PlayedStep> played;
  Settings settings;
  for (const RecipeStep& step : recipe.steps) {
    if (auto set = settings.load_json(step.changes); !set) return set.error();
    SimulationWish clients = wish;
    clients.engine = recipe.engine;
    clients.max_concurrency = static_cast<int>(settings.integer("max-num-seqs"));
    auto run = simulate_run(trace, clients, settings);
    if (!run) return run.error();
    played.push_back({settings, std::move(*run)});
    if (on_played && !on_played(played.back())) break;
  }
  return played;
}

}  // namespace pitwall
