// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/recipe_comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/bench/workload.h"
#include "engine/plan/gpu_profile.h"

namespace pitwall {

namespace {

/// Settings of all steps, each with what holds in it; they were checked when the recipe was read.
std::vector<Settings> settings_of_steps(const TuningRecipe& recipe) {
  std::vector<Settings> all;
  Settings settings;
  for (const RecipeStep& step : recipe.steps) {
    static_cast<void>(settings.load_json(step.changes));
    all.push_back(settings);
  }
  return all;
}

std::vector<RecipeChange> changes_between(const Settings& before, const Settings& after) {
  std::vector<RecipeChange> changes;
  for (const SettingInfo& info : setting_table()) {
    std::string from = before.display(info.name), to = after.display(info.name);
    if (from != to) changes.push_back({std::string(info.name), std::move(from), std::move(to)});
  }
  return changes;
}

/// −1 fell, 0 stayed, 1 rose.
int movement(double before, double after) {
  const double gain = after / before;
  return gain > 1 + kUnchanged ? 1 : gain < 1 - kUnchanged ? -1 : 0;
}

/// Gains and directions of one figure along the steps.
void compare_figures(std::vector<ComparedStep>& steps, ComparedFigure ComparedStep::*which) {
  if (steps.empty()) return;
  const ComparedFigure first = steps.front().*which;
  const ComparedFigure* stated = nullptr;  // the last one before
  for (ComparedStep& step : steps) {
    ComparedFigure& figure = step.*which;
    if (first.published > 0) figure.published_gain = figure.published / first.published;
    if (first.simulated > 0) figure.simulated_gain = figure.simulated / first.simulated;
    if (figure.published <= 0) continue;
    if (stated != nullptr && figure.simulated > 0) {
      const bool same =
          movement(stated->published, figure.published) == movement(stated->simulated, figure.simulated);
      figure.direction = same ? Direction::agrees : Direction::differs;
    }
    stated = &figure;
  }
}

/// The smallest of the sorted lengths that at least `share` of them do not exceed.
std::int64_t length_at(const std::vector<std::int64_t>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

void take_lengths(const Workload& workload, Deployment& deployment) {
  const Trace trace = make_trace(workload, workload.requests, 0);
  std::vector<std::int64_t> lengths;
  std::int64_t prompts = 0, outputs = 0;
  for (const TraceRequest& request : trace.requests) {
    lengths.push_back(std::int64_t{request.prompt_tokens} + request.output_tokens);
    prompts += request.prompt_tokens;
    outputs += request.output_tokens;
  }
  if (lengths.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  deployment.lengths.p50 = length_at(lengths, 0.5);
  deployment.lengths.p95 = length_at(lengths, 0.95);
  deployment.lengths.max = lengths.back();
  const auto count = static_cast<std::int64_t>(lengths.size());
  deployment.prompt_tokens = prompts / count;
  deployment.output_tokens = outputs / count;
  if (workload.classes.size() == 1) deployment.shared_prefix = workload.classes.front().shared_prefix;
}

}  // namespace

std::vector<ComparedStep> compare(const TuningRecipe& recipe, const std::vector<PlayedStep>& played) {
  const std::vector<Settings> settings = settings_of_steps(recipe);
  std::vector<ComparedStep> steps;
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    const RecipeStep& source = recipe.steps[i];
    ComparedStep step;
    step.title = source.title;
    step.changes = changes_between(i > 0 ? settings[i - 1] : Settings(), settings[i]);
    step.tokens_per_s.published = source.published_tokens_per_s;
    step.ttft_ms.published = source.published_ttft_ms;
    if (i < played.size()) {
      const BenchResult& result = played[i].run.result;
      step.tokens_per_s.simulated = result.output_throughput;
      step.ttft_ms.simulated = result.ttft.mean;
      step.tpot_ms = result.tpot.mean;
    }
    steps.push_back(std::move(step));
  }
  compare_figures(steps, &ComparedStep::tokens_per_s);
  compare_figures(steps, &ComparedStep::ttft_ms);
  return steps;
}

Result<Deployment> step_deployment(const TuningRecipe& recipe, std::size_t step, const GpuCount& gpus) {
  const auto workload = find_workload(recipe.workload);
  if (!workload) return workload.error();
  const auto engine = find_engine_choice(recipe.engine);
  if (!engine) return engine.error();
  const Settings settings = settings_of_steps(recipe)[step];
  Deployment deployment;
  deployment.name = recipe.steps[step].title;
  deployment.model = recipe.model;
  deployment.gpu = gpus.name;
  deployment.gpus = deployment.tensor_parallel = gpus.count;
  deployment.engine = engine->name;
  deployment.max_num_seqs = deployment.requests = static_cast<int>(settings.integer("max-num-seqs"));
  deployment.max_num_batched_tokens = static_cast<int>(settings.integer("max-num-batched-tokens"));
  deployment.block_size = static_cast<int>(settings.integer("block-size"));
  if (!settings.is_auto("max-model-len")) deployment.max_model_len = settings.integer("max-model-len");
  if (!settings.is_auto("kv-cache-dtype")) deployment.kv_cache_dtype = settings.text("kv-cache-dtype");
  deployment.prefix_caching = settings.flag("enable-prefix-caching");
  take_lengths(*workload, deployment);
  return deployment;
}

}  // namespace pitwall
