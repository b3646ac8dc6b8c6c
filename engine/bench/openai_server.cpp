// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/openai_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/bench/openai_chunk.h"

namespace pitwall {

namespace {

using nlohmann::json;

/// `text` with {labels} and a value behind a name; the labels may be empty.
struct Sample {
  std::string_view name, labels;
  double value = 0;
};

std::optional<Sample> parse_sample(std::string_view line) {
  if (line.empty() || line.front() == '#') return std::nullopt;
  Sample sample;
  std::size_t at = line.find_first_of("{ ");
  if (at == std::string_view::npos) return std::nullopt;
  sample.name = line.substr(0, at);
  if (line[at] == '{') {
    const std::size_t close = line.rfind('}');
    if (close == std::string_view::npos || close < at) return std::nullopt;
    sample.labels = line.substr(at + 1, close - at - 1);
    at = close + 1;
  }
  while (at < line.size() && line[at] == ' ') ++at;
  const auto [end, code] = std::from_chars(line.data() + at, line.data() + line.size(), sample.value);
  if (code != std::errc{}) return std::nullopt;
  return sample;
}

void add(std::optional<double>& sum, double value) {
  sum = sum.value_or(0) + value;  // several engines behind one server
}

}  // namespace

std::string ServerAddress::base() const {
  std::string_view base = url;
  while (base.ends_with('/')) base.remove_suffix(1);
  if (base.ends_with("/v1")) base.remove_suffix(3);
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base);
}

std::vector<std::pair<std::string, std::string>> ServerAddress::headers() const {
  if (api_key.empty()) return {};
  return {{"Authorization", "Bearer " + api_key}};
}

Result<ServerModel> ask_model(const ServerAddress& address, const std::string& name) {
  const auto answer = http_send({.url = address.base() + "/v1/models", .headers = address.headers()});
  if (!answer) {
    if (!name.empty() && answer.error().kind != Error::Kind::io) return ServerModel{name, false};
    return answer.error();
  }
  const json document = json::parse(answer->body, nullptr, false);
  const bool listed = answer->status == 200 && document.is_object() && document.contains("data") &&
                      document["data"].is_array() && !document["data"].empty() &&
                      document["data"][0].is_object() && document["data"][0].contains("id") &&
                      document["data"][0]["id"].is_string();
  if (!listed) {
    if (!name.empty()) return ServerModel{name, false};
    return Error{Error::Kind::io,
                 fmt::format("GET /v1/models of {} names no model (HTTP {})",
                             quote_for_message(address.base()), answer->status),
                 answer->status == 200 ? "" : error_message(answer->body), "Name the model: --model NAME",
                 "model"};
  }
  const json& first = document["data"][0];
  const auto owner = first.find("owned_by");
  return ServerModel{name.empty() ? first["id"].get<std::string>() : name,
                     owner != first.end() && *owner == "pitwall"};
}

std::string request_body(const PromptMaker& prompts, const Trace& trace, std::size_t index,
                         const ServerAddress& address, const ServerModel& model, const BodyOptions& options) {
  nlohmann::ordered_json body;
  body["model"] = model.name;
  if (address.chat()) {
    body["messages"] = {{{"role", "user"}, {"content", prompts.text(index)}}};
    body["max_completion_tokens"] = trace.requests[index].output_tokens;
  } else {
    if (prompts.knows_tokens() && !options.text) {
      body["prompt"] = prompts.tokens(index);
    } else {
      body["prompt"] = prompts.text(index);
    }
    body["max_tokens"] = trace.requests[index].output_tokens;
  }
  body["temperature"] = options.temperature;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  if (options.ignore_eos) body["ignore_eos"] = true;
  if (model.pitwall) body["return_token_ids"] = true;
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

ServerCounters parse_metrics(std::string_view text) {
  ServerCounters counters;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const auto sample = parse_sample(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    if (!sample) continue;
    const auto& [name, labels, value] = *sample;
    if (name == "vllm:prefix_cache_queries_total") add(counters.query_tokens, value);
    if (name == "vllm:prefix_cache_hits_total") add(counters.hit_tokens, value);
    if (name == "vllm:num_preemptions_total") add(counters.preemptions, value);
    if (name == "vllm:kv_cache_usage_perc")
      counters.kv_usage = std::max(counters.kv_usage.value_or(0), value);
    if (name == "pitwall:kv_memory_bytes" && labels.find("state=\"used\"") != std::string_view::npos)
      add(counters.kv_used_bytes, value);
    if (name != "pitwall:prefix_cache_misses_total") continue;
    if (!counters.misses) counters.misses.emplace();
    for (int i = 0; i < kMissReasonCount; ++i) {
      const std::string label = fmt::format("reason=\"{}\"", miss_reason_name(static_cast<MissReason>(i)));
      if (labels.find(label) != std::string_view::npos)
        (*counters.misses)[static_cast<std::size_t>(i)] += static_cast<std::int64_t>(value);
    }
  }
  return counters;
}

}  // namespace pitwall
