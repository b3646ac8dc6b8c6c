// SPDX-License-Identifier: GPL-3.0-or-later
// An OpenAI server as the target of a load: who it is, what is posted to it, and what its /metrics say.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/bench/prompt_maker.h"
#include "engine/library/http_client.h"
#include "engine/telemetry/records.h"

namespace pitwall {

struct ServerAddress {
  std::string url;                           ///< http://host:port, with or without /v1 at its end
  std::string endpoint = "/v1/completions";  ///< or /v1/chat/completions
  std::string api_key;                       ///< secret; empty = none

  bool chat() const { return endpoint.ends_with("/chat/completions"); }
  std::string base() const;  ///< url without /v1 and slashes at its end
  std::vector<std::pair<std::string, std::string>> headers() const;
};

struct ServerModel {
  std::string name;
  bool pitwall = false;  ///< ours: chunks can state their tokens
};
/// By GET /v1/models. `name`, where given, wins over what is listed; else the first model is taken.
Result<ServerModel> ask_model(const ServerAddress& address, const std::string& name);

struct BodyOptions {
  bool ignore_eos = false;
  double temperature = 0;
  bool text = false;  ///< completions: prompts as text although ids are known
};
/// What requests[index] posts.
std::string request_body(const PromptMaker& prompts, const Trace& trace, std::size_t index,
                         const ServerAddress& address, const ServerModel& model, const BodyOptions& options);

/// Counters and gauges of /metrics, by vLLM's names and ours; what a server does not have is absent.
struct ServerCounters {
  std::optional<double> query_tokens, hit_tokens, preemptions;
  std::optional<double> kv_usage;       ///< 0–1
  std::optional<double> kv_used_bytes;  ///< of a Pitwall server
  std::optional<std::array<std::int64_t, kMissReasonCount>> misses;
};
ServerCounters parse_metrics(std::string_view text);

}  // namespace pitwall
