// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/serve/openai_fields.h"
#include "engine/serve/random_id.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostStops = 4;
constexpr std::size_t kLongestStop = 4096;  // bytes
constexpr std::size_t kMostStopTokens = 256;
constexpr std::size_t kMostBiases = 1024;
constexpr std::int64_t kLargestCount = std::numeric_limits<std::int32_t>::max();

void add_stop(RequestFields& fields, const Json& value, std::vector<std::string>& stops) {
  if (!value.is_string()) {
    fields.refuse("stop", "is neither a string nor a list of strings");
  } else if (value.get_ref<const std::string&>().size() > kLongestStop) {
    fields.refuse("stop", "has a string of more than " + std::to_string(kLongestStop) + " bytes");
  } else if (!value.get_ref<const std::string&>().empty()) {
    stops.push_back(value.get<std::string>());
  }
}

std::vector<std::string> read_stops(RequestFields& fields) {
  std::vector<std::string> stops;
  const Json* value = fields.any("stop");
  if (value == nullptr) return stops;
  if (!value->is_array()) {
    add_stop(fields, *value, stops);
  } else if (value->size() > kMostStops) {
    fields.refuse("stop",
                  "has " + std::to_string(value->size()) + " strings; at most " + std::to_string(kMostStops));
  } else {
    for (const Json& each : *value) add_stop(fields, each, stops);
  }
  return stops;
}

std::vector<TokenId> read_stop_tokens(RequestFields& fields) {
  std::vector<TokenId> tokens;
  const Json* value = fields.any("stop_token_ids");
  if (value == nullptr) return tokens;
  if (!value->is_array() || value->size() > kMostStopTokens) {
    fields.refuse("stop_token_ids",
                  "is not a list of at most " + std::to_string(kMostStopTokens) + " token ids");
    return tokens;
  }
  for (const Json& each : *value) {
    if (!each.is_number_integer() || each < 0 || each > kLargestCount) {
      fields.refuse("stop_token_ids", "has an element that is not a token id");
      return {};
    }
    tokens.push_back(each.get<TokenId>());
  }
  return tokens;
}

/// {"1234": −1.5, …}
std::vector<std::pair<TokenId, float>> read_biases(RequestFields& fields) {
  std::vector<std::pair<TokenId, float>> biases;
  const Json* value = fields.any("logit_bias");
  if (value == nullptr) return biases;
  if (!value->is_object() || value->size() > kMostBiases) {
    fields.refuse("logit_bias",
                  "is not an object of at most " + std::to_string(kMostBiases) + " token ids with numbers");
    return biases;
  }
  for (const auto& [key, bias] : value->items()) {
    TokenId token = 0;
    const auto parsed = std::from_chars(key.data(), key.data() + key.size(), token);
    if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size() || token < 0) {
      fields.refuse("logit_bias", "has a key that is not a token id");
      return {};
    }
    if (!bias.is_number() || !(std::abs(bias.get<double>()) <= 100)) {
      fields.refuse("logit_bias", "has a value that is not a number from -100 to 100");
      return {};
    }
    biases.emplace_back(token, bias.get<float>());
  }
  return biases;
}

/// Chat: logprobs true with top_logprobs; completions: logprobs with a number.
std::optional<std::int32_t> read_logprobs(RequestFields& fields, ApiKind kind) {
  const auto count = [&fields](const char* name) -> std::optional<std::int32_t> {
    if (const auto number = fields.integer(name, 0, kMostLogprobs)) return static_cast<std::int32_t>(*number);
    return std::nullopt;
  };
  if (kind == ApiKind::completion) {
    const Json* value = fields.any("logprobs");
    if (value != nullptr && value->is_boolean() && !value->get<bool>()) return std::nullopt;
    return count("logprobs");
  }
  const bool wanted = fields.flag("logprobs").value_or(false);
  const auto top = count("top_logprobs");
  if (top && *top > 0 && !wanted) fields.refuse("top_logprobs", "needs logprobs to be true");
  return wanted ? std::optional(top.value_or(0)) : std::nullopt;
}

}  // namespace

SamplingParams read_sampling(RequestFields& fields, ApiKind kind) {
  SamplingParams sampling;
  SlotSampling& choice = sampling.choice;
  const auto real = [&fields](const char* name, float& target) {
    constexpr double kLargest = 1e30;  // any bound lies far below; a double beyond float is no float
    if (const auto value = fields.number(name))
      target = static_cast<float>(std::clamp(*value, -kLargest, kLargest));
  };
  real("temperature", choice.temperature);
  real("top_p", choice.top_p);
  real("min_p", choice.min_p);
  real("repetition_penalty", sampling.repetition_penalty);
  real("frequency_penalty", sampling.frequency_penalty);
  real("presence_penalty", sampling.presence_penalty);
  // −1 is vLLM's word for off.
  if (const auto top_k = fields.integer("top_k", -1, kLargestCount)) {
    choice.top_k = *top_k < 0 ? 0 : static_cast<std::int32_t>(*top_k);
  }
  const auto seed = fields.integer("seed", std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max());
  choice.seed = seed ? static_cast<std::uint64_t>(*seed) : random_number();
  const auto old_name = fields.integer("max_tokens", 1, kLargestCount);
  const auto new_name = fields.integer("max_completion_tokens", 1, kLargestCount);
  sampling.max_tokens = static_cast<std::int32_t>(new_name.value_or(old_name.value_or(0)));
  sampling.min_tokens = static_cast<std::int32_t>(fields.integer("min_tokens", 0, kLargestCount).value_or(0));
  sampling.stop = read_stops(fields);
  sampling.end_tokens = read_stop_tokens(fields);
  sampling.logit_bias = read_biases(fields);
  sampling.logprobs = read_logprobs(fields, kind);
  if (const auto count = fields.integer("prompt_logprobs", 0, kMostLogprobs))
    sampling.prompt_logprobs = static_cast<std::int32_t>(*count);
  return sampling;
}

}  // namespace pitwall
