// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/openai_request.h"

#include <nlohmann/json.hpp>

#include "engine/serve/openai_fields.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 256;  // bytes of a user or a salt

/// Fields of the API that change the output and are not provided: only the values that change nothing are
/// accepted.
struct NeutralField {
  const char* name;
  bool (*neutral)(const Json& value);
};

bool is_empty(const Json& value) {
  return (value.is_array() || value.is_object() || value.is_string()) && value.empty();
}
bool is_false(const Json& value) {
  return value.is_boolean() && !value.get<bool>();
}

constexpr NeutralField kNotProvided[] = {
    {"suffix", is_empty},        {"chat_template", is_empty},   {"functions", is_empty},
    {"function_call", is_empty}, {"use_beam_search", is_false}, {"guided_grammar", is_empty},
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
  request.continuous_usage = inner.flag("continuous_usage_stats").value_or(false);
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
  request.sampling = read_sampling(fields, kind);
  request.choices = static_cast<int>(fields.integer("n", 1, kMostChoices).value_or(1));
  const auto best_of = fields.integer("best_of", 1, kMostChoices);
  if (best_of && *best_of != request.choices) {
    fields.refuse("best_of", "is not n: this server gives every reply that it makes",
                  Error::Kind::unsupported);
  }
  request.rule = read_reply_rule(fields);
  if (kind == ApiKind::chat) request.tools = read_tool_use(fields);
  if (kind == ApiKind::completion) request.echo = fields.flag("echo").value_or(false);
  request.ignore_eos = fields.flag("ignore_eos").value_or(false);
  request.stream = fields.flag("stream").value_or(false);
  request.keep_special = !fields.flag("skip_special_tokens").value_or(true);
  request.timings = fields.flag("timings").value_or(false);
  request.include_reasoning = fields.flag("include_reasoning").value_or(true);
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
