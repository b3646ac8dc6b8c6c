// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_refusals.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/units.h"
#include "engine/plan/deployment.h"
#include "engine/plan/engine_defaults.h"
#include "engine/plan/engine_limits.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/weight_format.h"

namespace pitwall {

namespace {

Result<void> check_weights(const EngineQuestion& question) {
  const EngineProfile& engine = question.engine;
  const auto weights = find_weight_format(question.asked.quantization);
  if (!weights) return {};
  if (engine.model_files == ".gguf" && !weights->in_gguf()) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("{} loads .gguf files alone, and none holds weights in {}", engine.title, weights->name),
        "", "Take a format of such files, such as q4_k or q8_0; or plan for another engine", "quantization"};
  }
  const std::vector<std::string>& refused = engine.refused_weights;
  const auto has = [&](std::string_view name) {
    return std::find(refused.begin(), refused.end(), name) != refused.end();
  };
  const bool files = weights->in_gguf() && has("gguf");
  if (!files && !has(weights->name)) return {};
  return Error{Error::Kind::invalid_input,
               fmt::format("{} loads no weights in {}{}", engine.title, weights->name,
                           files ? ", of .gguf files" : ""),
               "", "Take another format, such as fp8 or awq; or plan for another engine", "quantization"};
}

/// Whole experts on each rank, or a way through stages: an engine without the setting does neither.
Result<void> check_parallelism(const EngineQuestion& question) {
  const auto& [engine, asked, model, format] = question;
  if (engine.name == kOwnEngine) return {};  // a plan's note says on how many GPUs it serves
  if (asked.pipeline_parallel > 1 && engine.find("pipeline-parallel-size") == nullptr &&
      !engine.deals_layers) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} takes no pipeline-parallel-size {}", engine.title, asked.pipeline_parallel),
                 "It does not divide layers into stages",
                 "Take tensor-parallel-size, or plan for another engine", "pipeline-parallel-size"};
  }
  if (asked.expert_parallel && engine.find("expert-parallel-size") == nullptr) {
    return Error{Error::Kind::invalid_input, fmt::format("{} does not share out experts", engine.title),
                 "It has a slice of each on every rank",
                 "Leave expert-parallel out, or plan for another engine", "expert-parallel-size"};
  }
  return {};
}

/// As the engine is told: what it has unasked is its own to fit.
EngineSettings said(const Deployment& asked, const EngineProfile& engine, const EnginePlace& place) {
  EngineSettings settings = settings_of(asked);
  const StepDefaults unasked = step_defaults(asked, place.memory);
  const std::pair<const char*, bool> fitted[] = {
      {"max-num-seqs", asked.max_num_seqs == unasked.max_num_seqs},
      {"max-num-batched-tokens", asked.max_num_batched_tokens == unasked.max_num_batched_tokens},
      {"block-size", asked.block_size == unasked.block_size || engine.find("block-size") == nullptr}};
  for (const auto& [name, own] : fitted) {
    if (own) settings.values.erase(name);
  }
  return settings;
}

}  // namespace

Result<void> check_words(const EngineQuestion& question) {
  const EngineProfile& engine = question.engine;
  if (auto weights = check_weights(question); !weights) return weights;
  if (auto parallel = check_parallelism(question); !parallel) return parallel;
  const auto told = [&](std::string_view setting, std::string_view value) -> Result<void> {
    if (can_tell(engine, setting, value)) return {};
    const std::string legal = tellable_values(engine, setting);
    return Error{Error::Kind::invalid_input, fmt::format("{} takes no {} {}", engine.title, setting, value),
                 "",
                 legal.empty() ? fmt::format("Leave {} out, or plan for another engine", setting)
                               : fmt::format("It takes {}; or plan for another engine", legal),
                 std::string(setting)};
  };
  if (engine.find("block-size") != nullptr) {
    if (auto size = told("block-size", fmt::format("{}", question.asked.block_size)); !size) return size;
  }
  return question.kv_format.empty() ? Result<void>{} : told("kv-cache-dtype", question.kv_format);
}

std::optional<EngineRefusal> find_refusal(const EngineQuestion& question, const EnginePlace& place) {
  const auto& [engine, asked, model, format] = question;
  const std::int64_t length = asked.max_model_len.value_or(0), made_for = model.context_length;
  if (!engine.model_length_holds.empty() && made_for > 0 && length > made_for) {
    return EngineRefusal{
        fmt::format("{} does not start with max-model-len {}: the model was made for {} tokens", engine.title,
                    format_count(length), format_count(made_for)),
        "max-model-len", format_count(length), format_count(made_for)};
  }
  if (asked.expert_parallel && model.experts == 0 && engine.experts_are_needed) {
    return EngineRefusal{
        fmt::format("{} does not start with expert-parallel: the model has no experts", engine.title),
        "expert-parallel", "on", "off"};
  }
  EngineSettings settings = said(asked, engine, place);
  const auto changes = keep_limits(settings, engine, place, length > 0 ? length : made_for);
  if (changes.empty()) return std::nullopt;
  const LimitChange& first = changes.front();
  return EngineRefusal{first.refusal, first.setting, format_count(first.from), format_count(first.to)};
}

}  // namespace pitwall
