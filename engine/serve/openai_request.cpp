// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/openai_request.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/serve/random_id.h"
#include "engine/serve/request_fields.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostStops = 4;
constexpr std::size_t kLongestStop = 4096;  // bytes
constexpr std::size_t kMostStopTokens = 256;
constexpr std::size_t kLongestName = 256;  // bytes of a user or a salt
constexpr std::int64_t kLargestCount = std::numeric_limits<std::int32_t>::max();

/// Fields of the API that change the output and are not provided: only the values that change nothing are
/// accepted.
struct NeutralField {
  const char* name;
  bool (*neutral)(const Json& value);
};

bool is_empty(const Json& value) {
  return (value.is_array() || value.is_object() || value.is_string()) && value.empty();
}
bool is_zero(const Json& value) {
  return value.is_number() && value.get<double>() == 0;
}
bool is_one(const Json& value) {
  return value.is_number() && value.get<double>() == 1;
}
bool is_false(const Json& value) {
  return value.is_boolean() && !value.get<bool>();
}
bool is_text_format(const Json& value) {
  return value.is_object() && value.contains("type") && value["type"] == "text";
}

constexpr NeutralField kNotProvided[] = {
    {"n", is_one},
    {"best_of", is_one},
    {"logprobs", is_false},
    {"top_logprobs", is_zero},
    {"prompt_logprobs", is_false},
    {"echo", is_false},
    {"suffix", is_empty},
    {"tools", is_empty},
    {"chat_template", is_empty},
    {"functions", is_empty},
    {"logit_bias", is_empty},
    {"response_format", is_text_format},
    {"frequency_penalty", is_zero},
    {"presence_penalty", is_zero},
    {"repetition_penalty", is_one},
    {"use_beam_search", is_false},
};

void check_not_provided(RequestFields& fields) {
  for (const NeutralField& field : kNotProvided) {
    const Json* value = fields.any(field.name);
    if (value != nullptr && !field.neutral(*value)) {
      fields.refuse(field.name, "has a value that this server does not provide; leave it out",
                    Error::Kind::unsupported);
    }
  }
}

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

SamplingParams read_sampling(RequestFields& fields) {
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
  sampling.stop = read_stops(fields);
  sampling.end_tokens = read_stop_tokens(fields);
  return sampling;
}

std::string short_text(RequestFields& fields, const char* name) {
  std::string text = fields.text(name).value_or("");
  if (text.size() > kLongestName) {
    fields.refuse(name,
                  "has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(kLongestName));
  }
  return text;
}

void read_stream_options(RequestFields& fields, ApiRequest& request) {
  const Json* options = fields.any("stream_options");
  if (options == nullptr) return;
  if (!options->is_object()) {
    fields.refuse("stream_options", "is not an object");
    return;
  }
  RequestFields inner(*options);
  request.include_usage = inner.flag("include_usage").value_or(false);
  if (inner.error()) fields.refuse("stream_options", "is wrong: " + inner.error()->what);
}

void check_prompt_shape(RequestFields& fields, ApiKind kind) {
  const char* name = kind == ApiKind::chat ? "messages" : "prompt";
  const Json* prompt = fields.any(name);
  if (prompt == nullptr) {
    fields.refuse(name, "is missing");
  } else if (kind == ApiKind::chat && !prompt->is_array()) {
    fields.refuse(name, "is not a list of messages");
  } else if (kind == ApiKind::completion && !prompt->is_string() && !prompt->is_array()) {
    fields.refuse(name, "is neither a string nor a list of token ids");
  }
}

/// The fields that shape the prompt; chat_prompt reads them.
void check_chat_fields(RequestFields& fields) {
  const bool continues = fields.flag("continue_final_message").value_or(false);
  if (fields.flag("add_generation_prompt").value_or(false) && continues) {
    fields.refuse("continue_final_message", "and add_generation_prompt exclude each other: leave one out");
  }
  const Json* extra = fields.any("chat_template_kwargs");
  if (extra != nullptr && !extra->is_object()) fields.refuse("chat_template_kwargs", "is not an object");
  const Json* documents = fields.any("documents");
  if (documents != nullptr && !documents->is_array()) fields.refuse("documents", "is not a list");
}

}  // namespace

Result<ApiRequest> parse_api_request(ApiKind kind, const Json& body) {
  RequestFields fields(body);
  ApiRequest request;
  request.model = fields.text("model").value_or("");
  check_prompt_shape(fields, kind);
  if (kind == ApiKind::chat) check_chat_fields(fields);
  request.sampling = read_sampling(fields);
  request.ignore_eos = fields.flag("ignore_eos").value_or(false);
  request.stream = fields.flag("stream").value_or(false);
  request.return_token_ids = fields.flag("return_token_ids").value_or(false);
  constexpr std::int64_t kMostPriority = 1'000'000;
  request.priority = static_cast<int>(fields.integer("priority", -kMostPriority, kMostPriority).value_or(0));
  request.cache_salt = short_text(fields, "cache_salt");
  request.user = short_text(fields, "user");
  read_stream_options(fields, request);
  check_not_provided(fields);
  if (fields.error()) return *fields.error();
  if (auto ok = request.sampling.check(); !ok) return ok.error();
  return request;
}

}  // namespace pitwall
