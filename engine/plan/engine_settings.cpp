// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/library/model_profile.h"
#include "engine/plan/deployment.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/kv_format.h"

namespace pitwall {

namespace {

using enum EngineValue;

constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostSequences = 1'000'000, kMostGpus = 65'536, kMostBlock = 65'536,
                       kMostPort = 65'535;

constexpr std::array kTable{
    EngineSettingInfo{"model", text, "model"},
    EngineSettingInfo{"served-model-name", text, "name for clients"},
    EngineSettingInfo{"max-model-len", integer, "longest sequence", 1, kMostTokens},
    EngineSettingInfo{"max-input-len", integer, "longest prompt"},
    EngineSettingInfo{"max-num-seqs", integer, "sequences at once", 1, kMostSequences},
    EngineSettingInfo{"max-waiting", integer, "requests that may wait"},
    EngineSettingInfo{"max-num-batched-tokens", integer, "tokens of a step"},
    EngineSettingInfo{"max-prefill-tokens", integer, "prompt tokens of a step"},
    EngineSettingInfo{"micro-batch-tokens", integer, "tokens computed at a time"},
    EngineSettingInfo{"memory-share-of-total", share, "share of the GPU's memory for everything"},
    EngineSettingInfo{"memory-share-static", share, "share of the GPU's memory for weights and KV"},
    EngineSettingInfo{"memory-share-of-free", share, "share for KV of what is free after loading"},
    EngineSettingInfo{"memory-share-after-weights", share, "share for KV of what the weights leave"},
    EngineSettingInfo{"memory-margin", size, "GPU memory left free"},
    EngineSettingInfo{"memory-limit", size, "memory for everything"},
    EngineSettingInfo{"kv-cache-memory-bytes", size, "memory for KV"},
    EngineSettingInfo{"kv-tokens", integer, "tokens of KV"},
    EngineSettingInfo{"kv-blocks", integer, "blocks of KV", 1, kMostTokens},
    EngineSettingInfo{"kv-cache-dtype", text, "number format of KV"},
    EngineSettingInfo{"kv-cache-dtype-v", text, "number format of V, where it is not K's"},
    EngineSettingInfo{"block-size", integer, "tokens of a KV block", 1, kMostBlock},
    EngineSettingInfo{"enable-prefix-caching", boolean, "prefix cache"},
    EngineSettingInfo{"tensor-parallel-size", integer, "GPUs that share each layer", 1, kMostGpus},
    EngineSettingInfo{"pipeline-parallel-size", integer, "stages of layers", 1, kMostGpus},
    EngineSettingInfo{"data-parallel-size", integer, "replicas", 1, kMostGpus},
    EngineSettingInfo{"attention-data-parallel", boolean, "replicas that share the experts"},
    EngineSettingInfo{"expert-parallel-size", integer, "GPUs that the experts are dealt out to", 1,
                      kMostGpus},
    EngineSettingInfo{"expert-exchange", text, "how tokens reach their experts"},
    EngineSettingInfo{"nodes", text, "machines"},
    EngineSettingInfo{"node-rank", text, "number of this machine"},
    EngineSettingInfo{"first-node", text, "host of the first machine"},
    EngineSettingInfo{"first-node-port", text, "port of the first machine"},
    EngineSettingInfo{"first-node-address", text, "host and port of the first machine"},
    EngineSettingInfo{"quantization", text, "format of the weights"},
    EngineSettingInfo{"dtype", text, "arithmetic"},
    EngineSettingInfo{"tool-call-parser", text, "how tool calls are read from replies"},
    EngineSettingInfo{"reasoning-parser", text, "how thoughts are told from replies"},
    EngineSettingInfo{"speculative-method", text, "how tokens are guessed ahead"},
    EngineSettingInfo{"speculative-model", text, "model that guesses"},
    EngineSettingInfo{"speculative-tokens", integer, "tokens guessed ahead", 0, kMostSequences},
    EngineSettingInfo{"speculative-tree-width", integer, "guesses that follow each one", 1, kMostSequences},
    EngineSettingInfo{"speculative-tree-tokens", integer, "tokens of a tree of guesses", 1,
                      kMostSequences + 1},
    EngineSettingInfo{"enable-chunked-prefill", boolean, "prompts in pieces"},
    EngineSettingInfo{"long-prefill-token-threshold", integer, "prompt tokens from which it is long", 0},
    EngineSettingInfo{"mixed-chunk", boolean, "prompts and replies in one step"},
    EngineSettingInfo{"swap-space", size, "host memory for KV"},
    EngineSettingInfo{"host-cache-ratio", real, "host memory for KV, as a multiple"},
    EngineSettingInfo{"weights-offload", size, "weights kept in host memory"},
    EngineSettingInfo{"gpu-layers", text, "layers on the GPU"},
    EngineSettingInfo{"cpu-experts", integer, "layers whose experts stay on the CPU", 0},
    EngineSettingInfo{"kv-on-host", boolean, "KV in host memory"},
    EngineSettingInfo{"kv-unified", boolean, "one KV buffer for all sequences"},
    EngineSettingInfo{"scheduling-policy", text, "who goes first"},
    EngineSettingInfo{"admission-policy", text, "whether a request may be evicted"},
    EngineSettingInfo{"schedule-conservativeness", real, "how carefully requests are admitted"},
    EngineSettingInfo{"eviction-policy", text, "what leaves the prefix cache first"},
    EngineSettingInfo{"kv-watermark", real, "share of KV kept free at admission"},
    EngineSettingInfo{"waiting-served-ratio", real, "waiting to running, from which prompts go first"},
    EngineSettingInfo{"max-waiting-tokens", integer, "steps after which prompts go first", 0},
    EngineSettingInfo{"graphs", boolean, "captured steps"},
    EngineSettingInfo{"graph-max-batch", integer, "largest batch captured"},
    EngineSettingInfo{"graph-sizes", integers, "batch sizes captured"},
    EngineSettingInfo{"performance-mode", text, "latency or throughput"},
    EngineSettingInfo{"overlap-schedule", boolean, "planning beside the running step"},
    EngineSettingInfo{"sleep-mode", boolean, "memory given back on request"},
    EngineSettingInfo{"sleep-idle-seconds", integer, "seconds until an idle server sleeps", -1},
    EngineSettingInfo{"device", text, "processor"},
    EngineSettingInfo{"host", text, "address"},
    EngineSettingInfo{"port", integer, "port", 0, kMostPort},
    EngineSettingInfo{"api-key", text, "key of clients"},
};

Error bad_value(std::string_view shown, std::string_view value, std::string legal) {
  return {Error::Kind::invalid_input, fmt::format("{} is {}", shown, quote_for_message(value)), "",
          std::move(legal), std::string(shown)};
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<std::string> canonical_real(EngineValue type, std::string_view text, std::string_view shown) {
  const auto number = number_of<double>(text);
  if (type == EngineValue::share) {
    if (number && *number > 0 && *number <= 1) return fmt::format("{}", *number);
    return bad_value(shown, text, "Give a share above 0 and at most 1, such as 0.9");
  }
  if (number && std::isfinite(*number) && *number >= 0) return fmt::format("{}", *number);
  return bad_value(shown, text, "Give a number from 0 on");
}

/// "[1, 2]", "1,2" and "1 2" are "1,2".
Result<std::string> canonical_list(std::string_view text, std::string_view shown) {
  constexpr std::string_view kBetween = "[], ";
  std::string out;
  for (std::size_t at = text.find_first_not_of(kBetween); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const auto number = number_of<std::int64_t>(text.substr(at, end - at));
    if (!number || *number < 1 || *number > (1 << 20)) break;
    out += fmt::format("{}{}", out.empty() ? "" : ",", *number);
    at = text.find_first_not_of(kBetween, end);
    if (at == std::string_view::npos) return out;
  }
  return bad_value(shown, text, "Give batch sizes parted by commas, such as 1,2,4,8");
}

MemoryBudget stated_budget(const EngineSettings& settings, const std::optional<MemoryTerms>& terms,
                           int block_size) {
  EngineSettings said;
  for (const std::string_view name : memory_settings()) {
    if (const std::string* value = settings.find(name)) said.values[std::string(name)] = *value;
  }
  if (said.values.empty()) return {};
  // Bytes of KV replace a share.
  const auto alone =
      said.values.size() == 1 ? said.values.begin() : said.values.find("kv-cache-memory-bytes");
  if (alone != said.values.end()) {
    if (const auto budget = budget_of(alone->first, alone->second)) return *budget;
  }
  const auto kv = terms && terms->weights > 0 ? kv_bytes_of(said, *terms, block_size) : std::nullopt;
  if (!kv) return {};
  return {.meaning = MemoryBudget::Meaning::kv_bytes, .bytes = std::max<Bytes>(*kv, 0)};
}

std::vector<int> sizes_of(std::string_view list) {
  std::vector<int> sizes;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (const auto size = number_of<int>(list.substr(at, comma - at))) sizes.push_back(*size);
    at = comma + 1;
  }
  return sizes;
}

}  // namespace

std::span<const EngineSettingInfo> engine_setting_table() {
  return kTable;
}

const EngineSettingInfo* find_engine_setting(std::string_view name) {
  const auto found =
      std::find_if(kTable.begin(), kTable.end(), [&](const auto& info) { return info.name == name; });
  return found == kTable.end() ? nullptr : &*found;
}

const std::string* EngineSettings::find(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> EngineSettings::integer(std::string_view name) const {
  const std::string* value = find(name);
  return value == nullptr ? std::nullopt : number_of<std::int64_t>(*value);
}

std::optional<double> EngineSettings::real(std::string_view name) const {
  const std::string* value = find(name);
  return value == nullptr ? std::nullopt : number_of<double>(*value);
}

int EngineSettings::ranks() const {
  return static_cast<int>(
      std::clamp(integer("tensor-parallel-size").value_or(1), std::int64_t{1}, kMostGpus));
}

int EngineSettings::replicas() const {
  return static_cast<int>(std::clamp(integer("data-parallel-size").value_or(1), std::int64_t{1}, kMostGpus));
}

Result<std::string> canonical_value(const EngineSettingInfo& info, std::string_view text,
                                    std::string_view shown) {
  switch (info.type) {
    case EngineValue::text:
      return std::string(text);
    case EngineValue::boolean:
      if (text == "true" || text == "false") return std::string(text);
      return bad_value(shown, text, "Give true or false");
    case EngineValue::real:
    case EngineValue::share:
      return canonical_real(info.type, text, shown);
    case EngineValue::integers:
      return canonical_list(text, shown);
    case EngineValue::integer:
    case EngineValue::size:
      break;
  }
  if (text == "auto") return std::string(text);
  const std::int64_t least = info.type == EngineValue::size ? 0 : info.least;
  const auto number = number_of<std::int64_t>(text);
  if (number && *number >= least && *number <= info.most) return fmt::format("{}", *number);
  if (number && *number >= least)
    return bad_value(shown, text, fmt::format("Give a whole number up to {}", format_count(info.most)));
  return bad_value(shown, text, fmt::format("Give a whole number from {} on", least));
}

std::string drop_missing_format(EngineSettings& settings) {
  const std::string *model = settings.find("model"), *told = settings.find("quantization");
  if (model == nullptr || told == nullptr || !lacks_packed_weights(*model, *told)) return "";
  const std::string repository = packed_repository(*model, *told), name = hub_model_name(*model);
  std::string note =
      repository.empty()
          ? fmt::format(
                "quantization {} is not carried over: {} has no such weights, and engines do not make "
                "them; take a checkpoint that has",
                *told, name)
          : fmt::format(
                "quantization {} is not carried over: {} has no such weights, and engines do not make "
                "them; {} has",
                *told, name, repository);
  settings.values.erase("quantization");
  return note;
}

std::string human_value(const EngineSettingInfo& info, const std::string& value) {
  if (info.type != EngineValue::size || value == "auto") return value;
  return format_bytes(std::stoll(value));
}

bool replicas_share_experts(const EngineSettings& settings, const EngineProfile& engine) {
  return settings.replicas() > 1 &&
         said_or_default(settings, engine, {}, "attention-data-parallel") == "true";
}

EnginePlace place_of(const EngineSettings& settings, const EngineProfile& engine,
                     const std::optional<MemoryTerms>& terms) {
  const int replicas = replicas_share_experts(settings, engine) ? settings.replicas() : 1;
  EnginePlace place{"", 0, settings.ranks() * replicas, replicas};
  if (terms) place.gpu = terms->gpu, place.memory = terms->total;
  return place;
}

std::string said_or_default(const EngineSettings& settings, const EngineProfile& engine,
                            const EnginePlace& place, std::string_view name) {
  const std::string* said = settings.find(name);
  return said != nullptr ? *said : engine.default_of(name, place);
}

bool shares_context(const EngineSettings& settings, const EngineProfile& engine) {
  const EngineSetting* length = engine.find("max-model-len");
  if (length == nullptr || !length->flags.front().shared_slots) return false;
  const std::string* unified = settings.find("kv-unified");
  return unified != nullptr ? *unified == "true" : !settings.integer("max-num-seqs");
}

int block_size_of(const EngineSettings& settings, const EngineProfile& engine) {
  return number_of<int>(said_or_default(settings, engine, {}, "block-size")).value_or(1);
}

Deployment deployment_of(const EngineSettings& settings, const EngineProfile& engine,
                         const std::optional<MemoryTerms>& terms) {
  Deployment deployment;
  const EnginePlace place = place_of(settings, engine, terms);
  const auto said = [&](std::string_view name) { return said_or_default(settings, engine, place, name); };
  const auto integer = [&](std::string_view name, int fallback) {
    return number_of<int>(said(name)).value_or(fallback);
  };
  if (const std::string* model = settings.find("model")) deployment.model = *model;
  deployment.tensor_parallel = integer("tensor-parallel-size", 1);
  deployment.pipeline_parallel = integer("pipeline-parallel-size", 1);
  deployment.gpus = deployment.tensor_parallel * deployment.pipeline_parallel * settings.replicas();
  deployment.expert_parallel = settings.replicas() > 1 ? replicas_share_experts(settings, engine)
                                                       : integer("expert-parallel-size", 1) > 1;
  deployment.max_num_seqs = integer("max-num-seqs", deployment.max_num_seqs);
  // Whole prompts are limited by a number of their own where the other one is that of their pieces.
  const bool whole = said("enable-chunked-prefill") == "false" && !said("max-prefill-tokens").empty() &&
                     settings.find("max-num-batched-tokens") == nullptr;
  deployment.max_num_batched_tokens =
      integer(whole ? "max-prefill-tokens" : "max-num-batched-tokens", deployment.max_num_batched_tokens);
  deployment.block_size = integer("block-size", 1);  // engines without blocks
  if (const auto length = settings.integer("max-model-len")) deployment.max_model_len = *length;
  if (const std::string dtype = said("kv-cache-dtype"); !dtype.empty()) deployment.kv_cache_dtype = dtype;
  // Other names are methods, and the checkpoint says what they did to it.
  static constexpr std::string_view kFormats[] = {"awq", "gptq", "fp8", "nf4", "mxfp4", "nvfp4"};
  if (const std::string format = said("quantization");
      std::find(std::begin(kFormats), std::end(kFormats), format) != std::end(kFormats))
    deployment.quantization = format;
  deployment.prefix_caching = said("enable-prefix-caching") != "false";
  deployment.graphs = said("graphs") != "false";
  deployment.shared_context = shares_context(settings, engine);
  deployment.draft_layers = said("speculative-method") == "mtp";
  if (const std::string* sizes = settings.find("graph-sizes")) deployment.graph_sizes = sizes_of(*sizes);
  deployment.engine = engine.name;
  deployment.budget = stated_budget(settings, terms, deployment.block_size);
  return deployment;
}

EngineSettings settings_of(const Deployment& deployment) {
  EngineSettings settings;
  const auto say = [&](const char* name, std::string value) { settings.values[name] = std::move(value); };
  const auto yes = [](bool value) { return std::string(value ? "true" : "false"); };
  const std::string& told = deployment.told_model;
  const bool still = !told.empty() && local_model_name(told) == deployment.model;
  if (!deployment.model.empty()) say("model", still ? told : deployment.model);
  if (deployment.max_model_len) say("max-model-len", fmt::format("{}", *deployment.max_model_len));
  say("max-num-seqs", fmt::format("{}", deployment.max_num_seqs));
  say("max-num-batched-tokens", fmt::format("{}", deployment.max_num_batched_tokens));
  say("block-size", fmt::format("{}", deployment.block_size));
  const auto format = find_kv_format(deployment.kv_cache_dtype);
  say("kv-cache-dtype", format ? std::string(format->name) : deployment.kv_cache_dtype);
  say("enable-prefix-caching", yes(deployment.prefix_caching));
  say("graphs", yes(deployment.graphs));
  if (deployment.shared_context) say("kv-unified", "true");
  const int replica = deployment.tensor_parallel * deployment.pipeline_parallel;
  const int replicas = replica > 0 ? deployment.gpus / replica : 1;
  say("tensor-parallel-size", fmt::format("{}", deployment.tensor_parallel));
  if (deployment.pipeline_parallel > 1)
    say("pipeline-parallel-size", fmt::format("{}", deployment.pipeline_parallel));
  if (replicas > 1) say("data-parallel-size", fmt::format("{}", replicas));
  if (deployment.expert_parallel && expert_ranks(deployment) > 1) {
    say("expert-parallel-size", fmt::format("{}", expert_ranks(deployment)));
    if (replicas > 1) say("attention-data-parallel", "true");
  }
  if (!deployment.quantization.empty()) say("quantization", deployment.quantization);
  if (deployment.draft_layers) {
    say("speculative-method", "mtp");
    say("speculative-tokens", "1");
  }
  if (!deployment.graph_sizes.empty())
    say("graph-sizes", fmt::format("{}", fmt::join(deployment.graph_sizes, ",")));
  const MemoryBudget& budget = deployment.budget;
  if (const auto memory = memory_setting_of(budget)) say(memory->first.c_str(), memory->second);
  if (budget.takes_share() && budget.bytes > 0) say("memory-limit", fmt::format("{}", budget.bytes));
  return settings;
}

}  // namespace pitwall
