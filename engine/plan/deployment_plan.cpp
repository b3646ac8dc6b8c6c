// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/deployment_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/plan/amounts.h"
#include "engine/plan/closed_loop.h"
#include "engine/plan/engine_defaults.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/planner.h"

namespace pitwall {

namespace {

using Kind = LayerState::Kind;

constexpr int kBusyPercent = 25;  // of other work, from which floors are in doubt

/// The smallest length that at least `share` of the sorted ones do not exceed.
std::int64_t percentile(const std::vector<std::int64_t>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[std::min(rank, sorted.size() - 1)];
}

std::string title_of(const std::string& engine) {
  const auto found = find_engine(engine);
  return found ? (*found)->title : engine;
}

const LayerState* first_attention(const ModelOutline& model) {
  for (const LayerState& layer : model.layers) {
    if (layer.kv_heads > 0) return &layer;
  }
  return nullptr;
}

/// With the length that the plan settled on: no typical request is longer, unless lengths are stated.
Deployment as_served(const DeploymentPlan& plan) {
  Deployment served = plan.asked;
  served.max_model_len = plan.max_model_len;
  return served;
}

}  // namespace

Bytes RankPlan::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), Bytes{0}, capped_sum);
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits:
      return "fits";
    case Verdict::fits_with_less:
      return "fits_with_less";
    case Verdict::fails:
      break;
  }
  return "fails";
}

int demanded_requests(const DeploymentPlan& plan) {
  return plan.asked.requests > 0 ? plan.asked.requests : plan.asked.max_num_seqs;
}

/// Of each request that runs at once.
std::int64_t Planner::part_of_context(std::int64_t tokens) const {
  const int replicas = asked_.gpus / (asked_.tensor_parallel * asked_.pipeline_parallel);
  const std::int64_t requests = divided_up(asked_.requests, std::max(replicas, 1)),
                     slots = asked_.max_num_seqs;
  return std::max<std::int64_t>(tokens / (requests > 0 ? std::min(requests, slots) : slots), 1);
}

LengthMix Planner::lengths(std::int64_t max_model_len) const {
  LengthMix mix = asked_.lengths;
  if (!mix.trace.empty()) {
    std::vector<std::int64_t> sorted = mix.trace;
    std::sort(sorted.begin(), sorted.end());
    mix.p50 = percentile(sorted, 0.5), mix.p95 = percentile(sorted, 0.95), mix.max = sorted.back();
  }
  const bool stated = mix.max > 0 || mix.p95 > 0 || mix.p50 > 0;
  if (mix.max == 0) mix.max = std::max({max_model_len, mix.p95, mix.p50});
  if (mix.p95 == 0) mix.p95 = one_context() && !stated ? part_of_context(mix.max) : mix.max;
  if (mix.p50 == 0) mix.p50 = mix.p95;
  return mix;
}

DeploymentPlan Planner::plan() const {
  DeploymentPlan plan;
  plan.asked = asked_;
  plan.model = *model_;
  if (reformatted_) plan.model = *reformatted_;
  plan.gpu = *gpu_;
  plan.engine = choice_.law ? choice_.name : std::string(kv_law_name(law_));
  plan.law = law_;
  plan.budget = budget_;
  plan.kv_format = format_.name;
  plan.replicas = asked_.gpus / (asked_.tensor_parallel * asked_.pipeline_parallel);
  std::vector<Pool> pools;
  for (const Stage& stage : stages_) pools.push_back(pool(stage, asked_.max_num_seqs));
  plan.max_model_len = wanted_length();
  for (const Pool& pool : pools)
    plan.max_model_len = std::min<std::int64_t>(plan.max_model_len, pool.max_model_len);
  plan.lengths = lengths(plan.max_model_len);
  add_ranks(plan, pools);
  add_capacity(plan);
  add_sequence_figures(plan);
  if (choice_.engine != nullptr && choice_.engine->name != kOwnEngine)
    plan.refusal = find_refusal(question(*choice_.engine), place_of(asked_, *gpu_));
  plan.hindrance = plan.refusal ? plan.refusal->why : hindrance(plan, pools);
  plan.verdict = !plan.hindrance.empty()     ? Verdict::fails
                 : holds_demand(plan, pools) ? Verdict::fits
                                             : Verdict::fits_with_less;
  add_notes(plan);
  return plan;
}

void Planner::add_ranks(DeploymentPlan& plan, std::vector<Pool>& pools) const {
  const std::int64_t requests = demanded_requests(plan);
  std::int64_t fewest = -1;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const KvDemand& demand = stages_[stage].demand;
    RankPlan rank;
    rank.stage = static_cast<int>(stage);
    rank.bytes = pools[stage].categories;
    rank.kv_needed = demand.of_requests(divided_up(requests, plan.replicas), plan.lengths.p95, shared());
    rank.other_processes = asked_.budget.other_processes;
    rank.device_total = gpu_->memory;
    rank.limit = pools[stage].limit;
    rank.kv_bytes_per_token = demand.per_token();
    const std::int64_t fit = demand.most(pools[stage].bytes, plan.lengths.max, shared());
    std::int64_t longest = demand.longest(pools[stage].bytes);
    if (one_context()) longest = std::min(longest, plan.max_model_len);  // windows take no part of the rest
    if (fewest < 0 || fit < fewest || (fit == fewest && longest < plan.longest)) {
      fewest = fit;
      plan.worst = static_cast<int>(plan.ranks.size());
      plan.longest = longest;
      plan.groups = demand.groups();
      plan.kv_block_bytes = demand.unit();
      plan.kv_blocks = demand.unit() > 0 ? pools[stage].bytes / demand.unit() : 0;
      plan.kv_tokens = demand.uniform() ? longest : 0;
      plan.full_length_requests = demand.sequence(plan.max_model_len) > 0
                                      ? static_cast<double>(pools[stage].bytes) /
                                            static_cast<double>(demand.sequence(plan.max_model_len))
                                      : 0;
      const int block = law_ == KvLaw::llama_cpp ? 1 : asked_.block_size;
      plan.waste_per_sequence = demand.per_token() * (block - 1) / 2;
    }
    for (int i = 0; i < asked_.tensor_parallel; ++i) {
      rank.rank = static_cast<int>(plan.ranks.size());
      plan.ranks.push_back(rank);
    }
  }
}

void Planner::add_capacity(DeploymentPlan& plan) const {
  plan.most_at_p50 = most(plan.lengths.p50) * plan.replicas;
  plan.most_at_p95 =
      plan.lengths.p95 == plan.lengths.p50 ? plan.most_at_p50 : most(plan.lengths.p95) * plan.replicas;
  plan.most_at_max =
      plan.lengths.max == plan.lengths.p95 ? plan.most_at_p95 : most(plan.lengths.max) * plan.replicas;
}

void Planner::add_sequence_figures(DeploymentPlan& plan) const {
  KvDemandOptions options{KvLaw::needed,      format_, 1, asked_.block_size, asked_.max_num_batched_tokens,
                          asked_.draft_layers};
  const KvDemand needed(*model_, options, 0, model_->layers.size());
  plan.kv_bytes_per_token = needed.per_token();
  plan.kv_bytes_per_sequence = needed.tokens_part(plan.lengths.p95);
  plan.state_bytes_per_sequence = needed.state();
  options.law = law_;
  options.window_share = window_share();
  plan.law_bytes_per_sequence =
      KvDemand(*model_, options, 0, model_->layers.size()).sequence(plan.lengths.p95);
}

/// Why the engine would not start; empty where it does.
std::string Planner::hindrance(const DeploymentPlan& plan, const std::vector<Pool>& pools) const {
  const Bytes others = asked_.budget.other_processes, free = std::max<Bytes>(gpu_->memory - others, 0);
  const double wanted = budget_.share * static_cast<double>(gpu_->memory);
  if (budget_.meaning == MemoryBudget::Meaning::share_of_total && wanted > static_cast<double>(free)) {
    return fmt::format("{:.4g} of {} is {}; only {} are free beside other processes' {}", budget_.share,
                       format_bytes(gpu_->memory), format_bytes(static_cast<Bytes>(wanted)),
                       format_bytes(free), format_bytes(others));
  }
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const Pool& pool = pools[i];
    const Bytes weights = stages_[i].weights, one = stages_[i].demand.sequence(plan.max_model_len);
    const std::string limit = format_bytes(pool.limit);
    if (weights > pool.limit)
      return fmt::format("The weights take {} of each GPU, and the limit is {}", format_bytes(weights),
                         limit);
    if (pool.other > pool.limit) {
      return fmt::format("Weights, activations, graphs and context take {} of each GPU, and the limit is {}",
                         format_bytes(pool.other), limit);
    }
    if (!pool.problem.empty()) return pool.problem;
    if (const Bytes all = capped_sum(pool.other, pool.bytes); all > pool.limit)
      return fmt::format("Everything together takes {} of each GPU, and the limit is {}", format_bytes(all),
                         limit);
    if (one > pool.bytes) {
      return fmt::format("One sequence of {} tokens needs {} of KV cache; free for it are {}",
                         format_count(plan.max_model_len), format_bytes(one), format_bytes(pool.bytes));
    }
  }
  return "";
}

bool Planner::holds_demand(const DeploymentPlan& plan, const std::vector<Pool>& pools) const {
  const std::int64_t requests = divided_up(demanded_requests(plan), plan.replicas);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (stages_[i].demand.most(pools[i].bytes, plan.lengths.p95, shared()) < requests) return false;
  }
  return requests <= asked_.max_num_seqs;
}

void Planner::add_notes(DeploymentPlan& plan) const {
  std::vector<std::string>& notes = plan.notes;
  if (!plan.hindrance.empty()) notes.push_back(plan.hindrance);
  const MemoryBudget& budget = budget_;
  if (budget.meaning == MemoryBudget::Meaning::bytes && budget.bytes > gpu_->memory) {
    notes.push_back(fmt::format("memory-limit is {}, more than the {} that there are: those hold",
                                format_bytes(budget.bytes), format_bytes(gpu_->memory)));
  }
  for (const std::string& remark : plan.model.remarks) notes.push_back(remark);
  note_engine(plan);
  note_budget(plan);
  note_lengths(plan);
  note_heads(plan);
  note_settings(plan);
}

/// Whose plan it is where nobody said so: budgets and KV differ between engines.
void Planner::note_engine(DeploymentPlan& plan) const {
  if (!choice_.law) {
    const char* const why =
        own() ? "No engine is named, and Pitwall runs this model: memory and KV are planned "
                "as Pitwall takes them; other engines take other shares"
        : model_->runs_here()
            ? "No engine is named, and Pitwall does not store KV in this format: KV is "
              "planned as the model needs it"
            : "No engine is named, and Pitwall does not run this model: KV is planned as the "
              "model needs it";
    plan.notes.emplace_back(why);
  }
  if (own() && !on_host() && asked_.gpus > 1) {
    plan.notes.push_back(
        fmt::format("Pitwall serves on one GPU: for {} of them name another engine", asked_.gpus));
  }
}

/// What an engine takes unasked is a fraction of something: it is spelled out.
void Planner::note_budget(DeploymentPlan& plan) const {
  if (asked_.budget.meaning != MemoryBudget::Meaning::automatic) return;
  const auto memory = memory_setting_of(budget_);
  if (!memory) return;
  const auto& [setting, value] = *memory;
  const std::string meaning = memory_meaning(setting, value, memory_terms_of(plan), asked_.block_size);
  const EngineProfile& engine = budget_engine();
  const EngineFlag& flag = engine.find(setting)->flags.front();
  const auto theirs = theirs_of(*find_engine_setting(setting), flag, value);
  const std::string told = fmt::format("{} {}", flag.shown(), theirs ? theirs->text : value);
  plan.notes.push_back(
      choice_.engine != nullptr
          ? fmt::format("Memory by the default of {}: {} stands for {}", engine.title, told, meaning)
          : fmt::format("Memory by the default of {}, since no engine is named: {} stands for {}",
                        engine.title, told, meaning));
}

void Planner::note_lengths(DeploymentPlan& plan) const {
  std::vector<std::string>& notes = plan.notes;
  const std::int64_t served = plan.max_model_len;
  if (model_->context_length == 0 && model_->has_one_size()) {
    notes.push_back(fmt::format("What the model keeps has one size at any length; {} tokens are planned",
                                format_count(served)));
  } else if (model_->context_length > 0 && std::max(served, plan.lengths.p95) > model_->context_length) {
    notes.push_back(fmt::format("The model was made for {} tokens; engines refuse longer sequences",
                                format_count(model_->context_length)));
  } else if (plan.lengths.max > served) {
    notes.push_back(fmt::format("Lengths go up to {} tokens; only {} are served",
                                format_count(plan.lengths.max), format_count(served)));
  } else if (served < wanted_length()) {
    notes.push_back(asked_.max_model_len
                        ? fmt::format("The KV cache holds sequences of {} tokens, of the {} asked for",
                                      format_count(served), format_count(wanted_length()))
                        : fmt::format("The KV cache holds sequences of {} tokens, of the model's {}",
                                      format_count(served), format_count(wanted_length())));
  }
  if (law_ == KvLaw::llama_cpp && asked_.max_num_seqs > 1) {
    if (one_context()) {
      notes.push_back(fmt::format("The {} slots share one context of {} tokens",
                                  format_count(asked_.max_num_seqs), format_count(served)));
    } else if (!asked_.max_model_len && model_->context_length > 0) {
      notes.push_back(
          fmt::format("No length is stated: each of the {} slots has its part of the model's {} tokens",
                      format_count(asked_.max_num_seqs), format_count(model_->context_length)));
    }
  }
  const std::int64_t prompt = RequestTokens(as_served(plan), *model_).prompt;
  if (shared() > prompt) {
    notes.push_back(
        fmt::format("The shared prefix, {} tokens, is longer than the typical prompt: {} of them count",
                    format_count(shared()), format_count(prompt)));
  }
  if (const std::int64_t typical = asked_.prompt_tokens + asked_.output_tokens; typical > served) {
    notes.push_back(fmt::format(
        "The typical request, {} tokens of prompt and {} of reply, is longer than the {} that are "
        "served: times are those of a request that is refused",
        format_count(asked_.prompt_tokens), format_count(asked_.output_tokens), format_count(served)));
  }
  const Bytes needed = capped_sum(plan.kv_bytes_per_sequence, plan.state_bytes_per_sequence);
  if (plan.law_bytes_per_sequence != needed) {
    notes.push_back(fmt::format("A sequence of {} tokens needs {}; {} allocates {}",
                                format_count(plan.lengths.p95), format_bytes(needed),
                                law_ == KvLaw::pitwall      ? std::string("this engine")
                                : choice_.engine != nullptr ? choice_.engine->title
                                                            : std::string(kv_law_name(law_)),
                                format_bytes(plan.law_bytes_per_sequence)));
  }
}

void Planner::note_heads(DeploymentPlan& plan) const {
  std::vector<std::string>& notes = plan.notes;
  if (const LayerState* layer = first_attention(*model_); layer != nullptr && model_->heads > 1) {
    const int ratio = model_->heads / layer->kv_heads;
    if (ratio > 1) {
      notes.push_back(
          fmt::format("Bytes a token count {} KV heads, not the {} attention heads: with those it would be "
                      "{} times as much",
                      layer->kv_heads, model_->heads, ratio));
    } else if (model_->heads % 4 == 0) {
      notes.push_back(
          fmt::format("Each of the {} heads has its own K and V. With grouped-query attention {} heads "
                      "share one: {} KV heads would take {} a token instead of {}",
                      model_->heads, 4, model_->heads / 4, format_count(plan.kv_bytes_per_token / 4) + " B",
                      format_count(plan.kv_bytes_per_token) + " B"));
    }
    if (asked_.tensor_parallel > layer->kv_heads) {
      notes.push_back(
          fmt::format("{} ranks share {} KV heads: from {} ranks on each holds one, and bytes a token no "
                      "longer fall",
                      asked_.tensor_parallel, layer->kv_heads, layer->kv_heads));
    }
  }
}

void Planner::note_settings(DeploymentPlan& plan) const {
  std::vector<std::string>& notes = plan.notes;
  if (format_.name == "fp8_e4m3" || format_.name == "fp8_e5m2") {
    notes.push_back(fmt::format(
        "KV in {} changes replies a little, more where the checkpoint has no KV scales", format_.name));
  }
  if (format_.name.starts_with("fp8") && gpu_->fp8_rate == 0 && !own() && !on_host()) {
    notes.push_back(
        fmt::format("{} has no FP8 arithmetic: some engines' attention kernels refuse KV in {} there",
                    gpu_->name, format_.name));
  }
  const std::string& weights = plan.model.weight_format;
  const bool four = weights.find("FP4") != std::string::npos, eight = weights.starts_with("FP8");
  if (!own() && !on_host() && ((four && gpu_->fp4_rate == 0) || (eight && gpu_->fp8_rate == 0))) {
    notes.push_back(fmt::format(
        "{} has no {} arithmetic: weights in {} are unpacked for each product where the engine can, as vLLM "
        "does, and refused where it cannot",
        gpu_->name, four ? "FP4" : "FP8", weights));
  }
  if (format_.name == "nvfp4" && gpu_->fp4_rate == 0)
    notes.emplace_back("KV in nvfp4 takes a GPU with FP4 arithmetic (Blackwell): others refuse it");
  if (!plan.model.kv_format.empty() && plan.model.kv_format != format_.name) {
    notes.push_back(fmt::format("The checkpoint asks for KV in {}; it is planned in {}", plan.model.kv_format,
                                format_.name));
  }
  if (const std::string taken = defaults_taken(asked_, gpu_->memory);
      !taken.empty() && choice_.engine->name != kOwnEngine) {
    notes.push_back(fmt::format("By the defaults of {}: {}", choice_.engine->title, taken));
  }
  if (law_ == KvLaw::llama_cpp && asked_.tensor_parallel > 1)
    notes.emplace_back(
        "Rows of weights are divided (-sm row): the first GPU then holds the KV of all, and more of it than "
        "is "
        "said here; stages (-sm layer) divide it");
  if (asked_.expert_parallel && model_->experts == 0 && !plan.refusal)
    notes.emplace_back("The model has no experts to share out: expert-parallel changes nothing");
  if (reformatted_ && reformatted_->weight_bytes() == model_->weight_bytes())
    notes.push_back(fmt::format("{} changes no weights of this model", reformatted_->weight_format));
  if (asked_.requests > std::int64_t{asked_.max_num_seqs} * plan.replicas) {
    notes.push_back(fmt::format("{} requests are asked for and max-num-seqs is {}: the others wait",
                                asked_.requests, asked_.max_num_seqs));
  }
  const bool unpacks = own() && !gpu_->engines.empty() && gpu_->rates(kOwnEngine).unpacks;
  if (unpacks && plan.model.weight_bits < 0.95 * 16) {
    notes.emplace_back(
        "Packed weights save time while few requests run: steps of many rows unpack them first");
  }
  if (plan.replicas > 1 && sharing() > asked_.tensor_parallel) {
    notes.push_back(fmt::format(
        "{} replicas share the experts, which lie on {} GPUs, and have a copy of the other weights "
        "each; requests are shared out among them",
        plan.replicas, sharing()));
  } else if (plan.replicas > 1) {
    notes.push_back(fmt::format(
        "{} replicas with a copy of the weights each; requests are shared out among them", plan.replicas));
  }
  const std::string rates = plan.verdict == Verdict::fails ? "" : rates_of(asked_, *gpu_);
  if (!rates.empty() && rates != plan.engine) {
    notes.push_back(choice_.engine == nullptr
                        ? fmt::format("Times are those of {}'s kernels: no engine is named", title_of(rates))
                        : fmt::format("Times are those of {}'s kernels: {}'s are not known", title_of(rates),
                                      choice_.engine->title));
  }
  if (!gpu_->measured.empty()) {
    const int busy = static_cast<int>(std::lround(100 * gpu_->busy));
    notes.push_back(
        busy < kBusyPercent
            ? fmt::format("Rates of this machine were measured at {}; the command floors renews them",
                          gpu_->measured)
            : fmt::format(
                  "Rates of this machine were measured at {} while it was {} % busy, so times are less "
                  "certain; the command floors renews them",
                  gpu_->measured, busy));
  }
  if (!own() || !on_host()) {
    notes.emplace_back("Context, libraries, graphs and communicator are estimates from published figures");
  }
}

Result<DeploymentPlan> plan_memory(const Deployment& deployment, const ModelOutline& model,
                                   const GpuProfile& gpu) {
  auto planner = Planner::make(deployment, model, gpu);
  if (!planner) return std::move(planner).error();
  return planner->plan();
}

Result<DeploymentPlan> plan_deployment(const Deployment& deployment, const ModelOutline& model,
                                       const GpuProfile& gpu) {
  auto plan = plan_memory(deployment, model, gpu);
  if (!plan) return plan;
  plan->fixes = find_fixes(*plan);
  plan->fix_pair = find_fix_pair(*plan, plan->fixes);
  plan->predicted = predict_times(*plan);
  return plan;
}

Prediction predict_times(const DeploymentPlan& plan) {
  const std::int64_t most = plan.verdict == Verdict::fails ? 0 : plan.most_at_p95 / plan.replicas;
  return predict(as_served(plan), plan.model, plan.gpu, most);
}

std::int64_t requests_at_once(const DeploymentPlan& plan) {
  const std::int64_t slots = std::int64_t{plan.asked.max_num_seqs} * plan.replicas;
  return std::min({std::int64_t{demanded_requests(plan)}, plan.most_at_p95, slots});
}

bool waits_for_slots(const DeploymentPlan& plan) {
  return plan.verdict == Verdict::fits_with_less && plan.most_at_p95 >= plan.asked.requests &&
         requests_at_once(plan) < plan.asked.requests;
}

std::int64_t requests_that_fit(const DeploymentPlan& plan, std::int64_t tokens) {
  if (tokens < 1) return 0;
  Deployment asked = plan.asked;
  if (tokens > plan.max_model_len) asked.max_model_len = tokens;
  const auto planner = Planner::make(asked, plan.model, plan.gpu);
  return planner ? planner->most(tokens) * plan.replicas : 0;
}

std::vector<std::string> kv_formula(const DeploymentPlan& plan) {
  const auto format = find_kv_format(plan.kv_format);
  std::vector<std::string> lines;
  if (!format) return lines;
  const double bytes = format->bits / 8.0;
  std::vector<std::pair<const LayerState*, int>> groups;
  for (const LayerState& layer : plan.model.layers) {
    if (layer.kind == Kind::none || layer.kind == Kind::recurrent ||
        (layer.draft && !plan.asked.draft_layers))
      continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& one) {
      return one.first->kv_heads == layer.kv_heads && one.first->key_dim == layer.key_dim &&
             one.first->latent_dim == layer.latent_dim && one.first->index_dim == layer.index_dim &&
             (one.first->kind == Kind::cross) == (layer.kind == Kind::cross);
    });
    if (same != groups.end()) {
      ++same->second;
    } else {
      groups.emplace_back(&layer, 1);
    }
  }
  for (const auto& [layer, count] : groups) {
    const Bytes token = capped_product(layer_kv(*layer, *format, 1).token, count);
    std::string left;
    if (layer->kind == Kind::latent) {
      left = format->latent_bytes > 0 ? fmt::format("{} layers × {} B", count, format->latent_bytes)
                                      : fmt::format("{} layers × ({} + {}) × {:g} B", count,
                                                    layer->latent_dim, layer->latent_rope_dim, bytes);
      if (layer->index_dim > 0)
        left += fmt::format(" + {} × {} B of index keys", count, index_key_bytes(layer->index_dim));
    } else if (layer->key_dim == layer->value_dim) {
      left = fmt::format("2 × {} layers × {} KV heads × {} × {:g} B", count, layer->kv_heads, layer->key_dim,
                         bytes);
    } else {
      left = fmt::format("{} layers × {} KV heads × ({} + {}) × {:g} B", count, layer->kv_heads,
                         layer->key_dim, layer->value_dim, bytes);
    }
    if (layer_kv(*layer, *format, 1).scales > 0) left += " and scales";
    lines.push_back(fmt::format("{} = {} B", left, format_count(token)));
  }
  return lines;
}

}  // namespace pitwall
