// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_stand_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_value.h"

namespace pitwall {

namespace {

class StandIns {
 public:
  StandIns(EngineSettings& settings, const EngineProfile& engine) : settings_(settings), engine_(engine) {}

  std::vector<std::string> find() {
    captured_batches();
    tokens_of_a_step();
    shared_context();
    served_name();
    format_of_v();
    experts();
    first_node();
    return std::move(notes_);
  }

 private:
  bool lacks(std::string_view name) const {
    return settings_.find(name) != nullptr && engine_.find(name) == nullptr;
  }
  bool open(std::string_view name) const {
    return settings_.find(name) == nullptr && engine_.find(name) != nullptr;
  }
  void note(std::string text) { notes_.push_back(std::move(text)); }
  std::string taken(const char* name) {
    auto out = settings_.values.extract(name);
    return std::move(out.mapped());
  }
  const EngineFlag& flag_of(std::string_view name) const { return engine_.find(name)->flags.front(); }

  void captured_batches() {
    if (!lacks("graph-sizes") || !open("graph-max-batch")) return;
    const std::string sizes = taken("graph-sizes");
    std::int64_t largest = 0;
    for (const auto& size : nlohmann::json::parse(fmt::format("[{}]", sizes)))
      largest = std::max<std::int64_t>(largest, size);
    settings_.values["graph-max-batch"] = fmt::format("{}", largest);
    note(fmt::format("{} takes the largest batch to capture, not the list {}", engine_.title, sizes));
  }

  void tokens_of_a_step() {
    if (lacks("max-prefill-tokens") && open("max-num-batched-tokens")) {
      settings_.values["max-num-batched-tokens"] = taken("max-prefill-tokens");
      note("Prompt tokens of a step became tokens of a step: replies count too");
    }
    // One flag says either how long the pieces of a prompt are or that there are none.
    const std::string* pieces = settings_.find("enable-chunked-prefill");
    const bool whole =
        pieces != nullptr && *pieces == "false" && engine_.find("enable-chunked-prefill") != nullptr;
    if (whole && settings_.find("max-num-batched-tokens") != nullptr && open("max-prefill-tokens") &&
        engine_.find("max-num-batched-tokens") != nullptr &&
        flag_of("max-num-batched-tokens").names == flag_of("enable-chunked-prefill").names)
      settings_.values["max-prefill-tokens"] = taken("max-num-batched-tokens");
  }

  /// One length for all slots would leave each a part of it.
  void shared_context() {
    const EngineSetting* length = engine_.find("max-model-len");
    const std::string* stated = settings_.find("max-model-len");
    if (length == nullptr || !length->flags.front().shared_slots ||
        (stated != nullptr && *stated != "auto") || settings_.integer("max-num-seqs").value_or(1) <= 1 ||
        !open("kv-unified"))
      return;
    settings_.values["kv-unified"] = "true";
    note(fmt::format("No length is stated: the {} slots share one context, whose tokens {} says",
                     settings_.values["max-num-seqs"], length->flags.front().shown()));
    if (!lacks("kv-tokens")) return;
    settings_.values["max-model-len"] = taken("kv-tokens");
    note(fmt::format("kv-tokens {} becomes the length of that context", settings_.values["max-model-len"]));
  }

  void served_name() {
    const EngineSetting* served = engine_.find("served-model-name");
    const std::string* names = settings_.find("served-model-name");
    const std::size_t comma = names == nullptr ? std::string::npos : names->find(',');
    if (comma == std::string::npos || served == nullptr || served->flags.front().words) return;
    note(fmt::format("{} serves one name: {} is not carried over", engine_.title, names->substr(comma + 1)));
    settings_.values["served-model-name"] = names->substr(0, comma);
  }

  void format_of_v() {
    if (!lacks("kv-cache-dtype-v")) return;
    note(fmt::format("{} keeps K and V in one format: V's {} is not carried over", engine_.title,
                     taken("kv-cache-dtype-v")));
  }

  /// Where the way to the experts also deals them out, it is told to those who do.
  void experts() {
    const std::string* way = settings_.find("expert-exchange");
    if (way == nullptr || engine_.find("expert-exchange") == nullptr) return;
    const EngineFlag& flag = flag_of("expert-exchange");
    const bool divided = settings_.ranks() * settings_.replicas() > 1;
    if (flag.deals_experts && divided && settings_.integer("expert-parallel-size").value_or(1) == 1) {
      note(fmt::format("expert-exchange {} is not carried over: with {} whole experts would be dealt out",
                       *way, flag.shown()));
      settings_.values.erase("expert-exchange");
    } else if (*way == "deepep-low-latency" && !can_tell(engine_, "expert-exchange", *way)) {
      settings_.values["expert-exchange"] = "deepep";
      note(fmt::format("{} takes DeepEP's low latency for replies alone, unasked", engine_.title));
    }
  }

  /// Host and port apart, or both in one.
  void first_node() {
    if (lacks("first-node-address") && open("first-node")) {
      const std::string address = taken("first-node-address");
      const std::size_t colon = address.rfind(':');
      settings_.values["first-node"] = address.substr(0, colon);
      if (colon != std::string::npos) settings_.values["first-node-port"] = address.substr(colon + 1);
    } else if (lacks("first-node") && open("first-node-address")) {
      const std::string host = taken("first-node");
      const bool stated = settings_.find("first-node-port") != nullptr;
      settings_.values["first-node-address"] =
          fmt::format("{}:{}", host, stated ? taken("first-node-port") : std::string(kFirstNodePort));
      if (!stated) note(fmt::format("No port of the first node is stated: {} is told", kFirstNodePort));
    }
  }

  static constexpr std::string_view kFirstNodePort = "29501";  // vLLM's default

  EngineSettings& settings_;
  const EngineProfile& engine_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> stand_in(EngineSettings& settings, const EngineProfile& engine) {
  std::vector<std::string> notes = StandIns(settings, engine).find();
  if (std::string dropped = drop_missing_format(settings); !dropped.empty())
    notes.push_back(std::move(dropped));
  return notes;
}

}  // namespace pitwall
