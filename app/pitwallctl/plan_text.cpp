// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

constexpr Category kCategories[] = {Category::weights,     Category::kv,
                                    Category::activations, Category::attention_workspace,
                                    Category::logits,      Category::library_workspace,
                                    Category::graphs,      Category::communicator,
                                    Category::context,     Category::swap};

Json rank_json(const RankPlan& rank) {
  Json json = {{"rank", rank.rank}, {"stage", rank.stage}};
  for (const Category category : kCategories) json[std::string(category_name(category))] = rank.of(category);
  json.update({{"total", rank.total()},
               {"limit", rank.limit},
               {"device_total", rank.device_total},
               {"other_processes", rank.other_processes},
               {"kv_needed", rank.kv_needed},
               {"kv_bytes_per_token", rank.kv_bytes_per_token}});
  return json;
}

/// As the engine is told it; `stated` false: its own default.
Json budget_json(const DeploymentPlan& plan) {
  const auto memory = memory_setting_of(plan.budget);
  if (!memory) return Json();
  return {{"setting", memory->first},
          {"value", memory->second},
          {"stated", plan.asked.budget.meaning != MemoryBudget::Meaning::automatic}};
}

Json groups_json(const DeploymentPlan& plan) {
  Json groups = Json::array();
  for (const KvGroup& group : plan.groups) {
    groups.push_back({{"title", group.title},
                      {"layers", group.layers},
                      {"fixed_bytes", group.fixed},
                      {"bytes_per_token", group.slope},
                      {"until_tokens", group.until > 0 ? Json(group.until) : Json()},
                      {"scale_bytes_per_token", group.scales},
                      {"padding_bytes", group.padding}});
  }
  return groups;
}

/// No numbers where not even one request fits.
Json point_json(const OperatingPoint& point) {
  if (point.requests == 0) {
    return {{"requests", 0},
            {"ttft_ms", nullptr},
            {"tpot_ms", nullptr},
            {"tokens_per_s", nullptr},
            {"memory_share", nullptr},
            {"compute_share", nullptr},
            {"communication_share", nullptr},
            {"overhead_share", nullptr}};
  }
  return {{"requests", point.requests},
          {"ttft_ms", point.ttft_ms},
          {"tpot_ms", point.tpot_ms},
          {"tokens_per_s", point.tokens_per_s},
          {"memory_share", point.memory_share},
          {"compute_share", point.compute_share},
          {"communication_share", point.communication_share},
          {"overhead_share", point.overhead_share}};
}

Json prediction_json(const Prediction& predicted) {
  Json json = point_json(predicted.asked);
  Json curve = Json::array();
  for (const OperatingPoint& point : predicted.curve) curve.push_back(point_json(point));
  const bool any = predicted.asked.requests > 0;
  json.update(
      {{"prompt_tokens", predicted.prompt_tokens},
       {"output_tokens", predicted.output_tokens},
       {"knee", any ? Json(predicted.knee) : Json()},
       {"most_under_limits", predicted.most_under_limits ? Json(*predicted.most_under_limits) : Json()},
       {"decode_floor_ms", any ? Json(predicted.decode_floor_ms) : Json()},
       {"prefill_floor_ms", predicted.prefill_floor_ms},
       {"error_share", predicted.error_share},
       {"rates_of", predicted.rates.empty() ? Json() : Json(predicted.rates)},
       {"curve", curve}});
  return json;
}

/// Of a demand that nobody stated a flag for max-num-seqs alone would make another one.
bool restates_demand(const Fix& fix, const DeploymentPlan& plan, bool requests_stated) {
  return fix.setting == "max-num-seqs" && !requests_stated && plan.asked.requests > 0;
}

/// Each on top of the one before where they are a pair.
Json fixes_json(const DeploymentPlan& plan, const std::vector<Fix>& found, bool pair, bool requests_stated) {
  Json fixes = Json::array();
  Deployment before = plan.asked;
  for (const Fix& fix : found) {
    fixes.push_back({{"change", fmt::format("{} {} → {}", fix.setting, fix.from, fix.to)},
                     {"frees_bytes", fix.frees},
                     {"fits", fix.fits},
                     {"setting", fix.setting},
                     {"from", fix.from},
                     {"to", fix.to},
                     {"cost", fix.cost}});
    if (fix.max_model_len) fixes.back()["max_model_len"] = *fix.max_model_len;
    if (restates_demand(fix, plan, requests_stated)) fixes.back()["requests"] = plan.asked.requests;
    const auto changed = with_fix(before, fix);
    if (!changed) continue;
    if (changed->gpus != before.gpus) fixes.back()["gpus"] = changed->gpus;
    if (pair) before = *changed;
  }
  return fixes;
}

Json concurrency_json(const DeploymentPlan& plan) {
  Json json = {{"p50", plan.most_at_p50}, {"p95", plan.most_at_p95}, {"max", plan.most_at_max}};
  const LengthMix& lengths = plan.lengths;
  json[std::to_string(lengths.p50)] = plan.most_at_p50;
  json[std::to_string(lengths.p95)] = plan.most_at_p95;
  json[std::to_string(lengths.max)] = plan.most_at_max;
  return json;
}

std::string table_of_ranks(const DeploymentPlan& plan) {
  std::vector<const RankPlan*> shown;  // one of each stage: its ranks are alike
  for (const RankPlan& rank : plan.ranks) {
    if (shown.empty() || shown.back()->stage != rank.stage) shown.push_back(&rank);
  }
  const auto line = [&](std::string_view label, auto&& value) {
    std::string text = fmt::format("{:<22}", label);
    for (const RankPlan* rank : shown) text += fmt::format("{:>14}", value(*rank));
    return text + '\n';
  };
  std::string text;
  if (shown.size() > 1)
    text += line("stage", [](const RankPlan& rank) { return std::to_string(rank.stage); });
  for (const Category category : kCategories) {
    const bool any =
        std::any_of(shown.begin(), shown.end(), [&](const RankPlan* rank) { return rank->of(category) > 0; });
    std::string label(category_name(category));
    std::replace(label.begin(), label.end(), '_', ' ');
    if (any) text += line(label, [&](const RankPlan& rank) { return format_bytes(rank.of(category)); });
  }
  text += line("total", [](const RankPlan& rank) { return format_bytes(rank.total()); });
  text += line("limit", [](const RankPlan& rank) { return format_bytes(rank.limit); });
  text += line("KV needed", [](const RankPlan& rank) { return format_bytes(rank.kv_needed); });
  return text;
}

/// Bytes a token of a rank beside those in all.
std::string on_ranks(const DeploymentPlan& plan) {
  if (plan.ranks.size() == 1) return "";
  return fmt::format(" in all, {} B on a rank{}", format_count(plan.worst_rank().kv_bytes_per_token),
                     plan.asked.pipeline_parallel > 1 ? " of its stage" : "");
}

/// "32 requests of 32,768 tokens": what the KV needed, the verdict and the changes stand for.
std::string demand_text(const DeploymentPlan& plan) {
  return fmt::format("{} requests of {} tokens", format_count(demanded_requests(plan)),
                     format_count(plan.lengths.p95));
}

/// Where the demand comes from, if nobody stated it.
std::string demand_source(const DeploymentPlan& plan, bool requests_stated) {
  const LengthMix& lengths = plan.asked.lengths;
  const bool stated = lengths.p50 > 0 || lengths.p95 > 0 || lengths.max > 0 || !lengths.trace.empty();
  std::string text = requests_stated           ? "as --requests says"
                     : plan.asked.requests > 0 ? "a usual number, since no --requests are given"
                                               : "max-num-seqs, since no --requests are given";
  const char* const unstated = plan.lengths.p95 < plan.lengths.max
                                   ? "; each one's part of the context, since no --lengths are given"
                                   : "; the longest length, since no --lengths are given";
  return text + (stated ? "; length as stated" : unstated);
}

std::string engine_text(const DeploymentPlan& plan) {
  const auto engine = find_engine(plan.engine);
  const std::string title = engine ? (*engine)->title : "none: " + plan.engine;
  return title + (plan.asked.engine == "auto" ? ", since no --engine is given" : "");
}

std::string verdict_text(const DeploymentPlan& plan) {
  if (plan.verdict == Verdict::fits) return "fits";
  if (plan.verdict == Verdict::fails) return "fails: " + plan.hindrance;
  const std::int64_t asked = demanded_requests(plan), held = plan.most_at_p95;
  const std::int64_t slots = std::int64_t{plan.asked.max_num_seqs} * plan.replicas;
  if (slots < asked && slots <= held) {
    return fmt::format("fits with less: max-num-seqs lets {} of {} requests run at once{}",
                       format_count(slots), format_count(asked),
                       held < asked ? fmt::format(", and memory holds {}", format_count(held)) : "");
  }
  const Bytes lacking = plan.worst_rank().kv_short();
  return lacking > 0
             ? fmt::format("fits with less: KV is short by {} for {}", format_bytes(lacking),
                           demand_text(plan))
             : fmt::format("fits with less: memory holds {} of {}", format_count(held), demand_text(plan));
}

/// Of each rank, in host memory.
std::int64_t swap_blocks(const DeploymentPlan& plan) {
  return plan.asked.swap_space / plan.kv_block_bytes;
}

/// What has to be stated beside the change, so that nothing else changes.
std::string with_text(const Fix& fix, const DeploymentPlan& plan, bool requests_stated) {
  std::string text;
  if (restates_demand(fix, plan, requests_stated))
    text += fmt::format("; with requests {}", format_count(plan.asked.requests));
  if (fix.max_model_len) text += fmt::format("; with max-model-len {}", format_count(*fix.max_model_len));
  return text;
}

std::string lengths_text(const DeploymentPlan& plan) {
  const LengthMix& lengths = plan.lengths;
  std::string text;
  std::int64_t before = 0;
  for (const auto& [tokens, most] :
       {std::pair{lengths.p50, plan.most_at_p50}, std::pair{lengths.p95, plan.most_at_p95},
        std::pair{lengths.max, plan.most_at_max}}) {
    if (tokens == before) continue;
    text += fmt::format("{:<22}{} of {} tokens each\n", before == 0 ? "requests that fit" : "",
                        format_count(most), format_count(tokens));
    before = tokens;
  }
  return text;
}

}  // namespace

nlohmann::ordered_json plan_json(const DeploymentPlan& plan, bool requests_stated) {
  Json ranks = Json::array();
  for (const RankPlan& rank : plan.ranks) ranks.push_back(rank_json(rank));
  return {{"model", plan.model.name},
          {"architecture", plan.model.architecture},
          {"parameters", plan.model.parameters()},
          {"weight_bytes", plan.model.weight_bytes()},
          {"weight_format", plan.model.weight_format},
          {"weights_from_headers", plan.model.from_headers},
          {"context_length", plan.model.context_length > 0 ? Json(plan.model.context_length) : Json()},
          {"gpu", plan.gpu.name},
          {"gpus", plan.asked.gpus},
          {"tensor_parallel", plan.asked.tensor_parallel},
          {"pipeline_parallel", plan.asked.pipeline_parallel},
          {"replicas", plan.replicas},
          {"expert_parallel", plan.asked.expert_parallel},
          {"engine", plan.engine},
          {"kv_law", kv_law_name(plan.law)},
          {"memory_budget", budget_json(plan)},
          {"kv_cache_dtype", plan.kv_format},
          {"block_size", plan.asked.block_size},
          {"max_num_seqs", plan.asked.max_num_seqs},
          {"max_model_len", plan.max_model_len},
          {"per_rank", ranks},
          {"worst_rank", plan.worst},
          {"kv_groups", groups_json(plan)},
          {"kv_formula", kv_formula(plan)},
          {"kv_bytes_per_token", plan.kv_bytes_per_token},
          {"kv_bytes_per_sequence", plan.kv_bytes_per_sequence},
          {"state_bytes_per_sequence", plan.state_bytes_per_sequence},
          {"allocated_bytes_per_sequence", plan.law_bytes_per_sequence},
          {"kv_block_bytes", plan.kv_block_bytes > 0 ? Json(plan.kv_block_bytes) : Json()},
          {"kv_blocks", plan.kv_block_bytes > 0 ? Json(plan.kv_blocks) : Json()},
          {"swap_blocks", plan.kv_block_bytes > 0 ? Json(swap_blocks(plan)) : Json()},
          {"kv_tokens", plan.kv_tokens > 0 ? Json(plan.kv_tokens) : Json()},
          {"longest_sequence", plan.longest},
          {"requests", demanded_requests(plan)},
          {"lengths", {{"p50", plan.lengths.p50}, {"p95", plan.lengths.p95}, {"max", plan.lengths.max}}},
          {"max_concurrency", concurrency_json(plan)},
          {"full_length_requests", plan.full_length_requests},
          {"waste_bytes_per_sequence", plan.waste_per_sequence},
          {"verdict", verdict_name(plan.verdict)},
          {"hindrance", plan.hindrance.empty() ? Json() : Json(plan.hindrance)},
          {"fixes", fixes_json(plan, plan.fixes, false, requests_stated)},
          {"fix_pair", fixes_json(plan, plan.fix_pair, true, requests_stated)},
          {"predicted", prediction_json(plan.predicted)},
          {"legal_tensor_parallel", legal_tensor_parallel(plan.model, plan.asked.expert_parallel)},
          {"notes", plan.notes}};
}

std::string plan_text(const DeploymentPlan& plan, bool requests_stated) {
  const ModelOutline& model = plan.model;
  std::string text =
      fmt::format("{:<22}{}, {} parameters, weights {} in {} ({})\n", "model", model.name,
                  format_count(model.parameters()), format_bytes(model.weight_bytes()), model.weight_format,
                  model.from_headers ? "from tensor headers" : "computed from its description");
  text += fmt::format("{:<22}{} × {}: {} rank{}, {} stage{}, {} replica{}\n", "on", plan.asked.gpus,
                      plan.gpu.name, plan.asked.tensor_parallel, plan.asked.tensor_parallel == 1 ? "" : "s",
                      plan.asked.pipeline_parallel, plan.asked.pipeline_parallel == 1 ? "" : "s",
                      plan.replicas, plan.replicas == 1 ? "" : "s");
  text += fmt::format("{:<22}{}\n", "engine", engine_text(plan));
  text += fmt::format("{:<22}{} ({})\n", "demand", demand_text(plan), demand_source(plan, requests_stated));
  text += fmt::format("\nEach rank, predicted\n{}\n", table_of_ranks(plan));
  text += fmt::format("{:<22}{} B in {}{}\n", "KV a token", format_count(plan.kv_bytes_per_token),
                      plan.kv_format, on_ranks(plan));
  for (const std::string& line : kv_formula(plan)) text += fmt::format("{:<22}{}\n", "", line);
  text += fmt::format(
      "{:<22}{} for {} tokens{}\n", "KV a sequence", format_bytes(plan.kv_bytes_per_sequence),
      format_count(plan.lengths.p95),
      plan.state_bytes_per_sequence > 0
          ? fmt::format(", and {} of state whatever its length", format_bytes(plan.state_bytes_per_sequence))
          : "");
  if (plan.groups.size() > 1) {
    for (const KvGroup& group : plan.groups) {
      text += fmt::format(
          "{:<22}{}: {} B a token{}{}{}\n", "", group.title, format_count(group.slope),
          group.until > 0 ? fmt::format(" up to {}", format_count(group.until)) : "",
          group.fixed > 0 ? fmt::format(", {} fixed", format_bytes(group.fixed)) : "",
          group.padding > 0 ? fmt::format(", {} of it padding", format_bytes(group.padding)) : "");
    }
  }
  if (plan.kv_tokens > 0) {
    text += fmt::format("{:<22}{} tokens in {} blocks of {}\n", "pool", format_count(plan.kv_tokens),
                        format_count(plan.kv_blocks), plan.asked.block_size);
  }
  if (plan.asked.swap_space > 0 && plan.kv_block_bytes > 0) {
    text +=
        fmt::format("{:<22}{} tokens in {} blocks of host memory, of each rank\n", "swap space",
                    format_count(swap_blocks(plan) * plan.asked.block_size), format_count(swap_blocks(plan)));
  }
  text += lengths_text(plan);
  text += fmt::format("{:<22}{} tokens\n", "longest sequence", format_count(plan.longest));
  text += fmt::format("{:<22}{} a sequence in its last block, expected\n", "unused",
                      format_bytes(plan.waste_per_sequence));
  text += fmt::format("\n{:<22}{}\n", "verdict", verdict_text(plan));
  for (const Fix& fix : plan.fixes) {
    text += fmt::format("  {} {} → {}: {}{}; {}{}\n", fix.setting, fix.from, fix.to,
                        fix.frees != 0 ? format_bytes(fix.frees) + " less, " : "",
                        fix.fits ? "enough alone" : "not enough alone", fix.cost,
                        with_text(fix, plan, requests_stated));
  }
  if (!plan.fix_pair.empty()) {
    const Fix &first = plan.fix_pair.front(), &second = plan.fix_pair.back();
    text += fmt::format("  {} {} → {} and {} {} → {}: enough together; {}; {}{}{}\n", first.setting,
                        first.from, first.to, second.setting, second.from, second.to, first.cost, second.cost,
                        with_text(first, plan, requests_stated), with_text(second, plan, requests_stated));
  }
  if (plan.predicted.most_under_limits) {
    std::string limits;
    for (const auto& [name, limit] :
         {std::pair{"TTFT", plan.asked.ttft_limit_ms}, {"TPOT", plan.asked.tpot_limit_ms}}) {
      if (limit > 0) limits += fmt::format("{}{} at most {:g} ms", limits.empty() ? "" : ", ", name, limit);
    }
    text += fmt::format("{:<22}{} requests at once keep them: {}\n", "limits of times",
                        format_count(*plan.predicted.most_under_limits), limits);
  }
  if (plan.predicted.asked.tokens_per_s > 0) {
    const OperatingPoint& point = plan.predicted.asked;
    text += fmt::format(
        "{:<22}{} requests at once of {} tokens of prompt and {} of reply: TTFT {:.0f} ms, TPOT {:.1f} ms, "
        "{:.0f} "
        "tokens/s, by {} rates\n",
        "predicted", point.requests, format_count(plan.predicted.prompt_tokens),
        format_count(plan.predicted.output_tokens), point.ttft_ms, point.tpot_ms, point.tokens_per_s,
        plan.predicted.rates);
  }
  for (const std::string& note : plan.notes) {
    if (note != plan.hindrance) text += "note: " + note + '\n';
  }
  return text;
}

}  // namespace pitwall::ctl
