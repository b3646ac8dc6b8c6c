// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/telemetry/record_json.h"
#include "engine/telemetry/snapshot.h"

namespace pitwall {
namespace {

template <class Record>
Json array_of(const std::vector<Record>& records) {
  Json array = Json::array();
  for (const Record& record : records) array.push_back(to_json_value(record));
  return array;
}

}  // namespace

std::string snapshot_json(const Snapshot& snapshot) {
  Json json;
  json["utc"] = snapshot.utc;
  json["steady"] = snapshot.steady;
  json["started_utc"] = snapshot.started_utc;
  json["state"] = engine_state_name(snapshot.state);
  json["model"] = snapshot.model;
  json["run"] = snapshot.run.value;
  json["running"] = snapshot.running;
  json["waiting"] = snapshot.waiting;
  json["deferred"] = snapshot.deferred;
  json["max_num_seqs"] = snapshot.max_num_seqs;
  json["kv_blocks"] = snapshot.kv_blocks;
  json["kv_blocks_used"] = snapshot.kv_blocks_used;
  json["kv_blocks_cached"] = snapshot.kv_blocks_cached;
  json["recent_query_tokens"] = snapshot.recent_query_tokens;
  json["recent_hit_tokens"] = snapshot.recent_hit_tokens;
  json["block_size"] = snapshot.block_size;
  json["ledger"] = to_json_value(snapshot.ledger);
  json["totals"] = to_json_value(snapshot.totals);
  json["output_tokens_per_s"] = snapshot.output_tokens_per_s;
  json["idle_percent"] = snapshot.idle_percent;
  json["prompt_tokens_per_s"] = snapshot.prompt_tokens_per_s;
  json["ttft"] = to_json_value(snapshot.ttft);
  json["tpot"] = to_json_value(snapshot.tpot);
  json["itl"] = to_json_value(snapshot.itl);
  json["queue"] = to_json_value(snapshot.queue);
  json["history"] = array_of(snapshot.history);
  json["steps"] = array_of(snapshot.steps);
  json["requests"] = array_of(snapshot.requests);
  return dump_json(json);
}

std::string steps_json(const std::vector<StepRecord>& steps,
                       const std::function<std::vector<StepEvent>(const StepRecord&)>& events_of) {
  Json array = Json::array();
  for (const StepRecord& step : steps) {
    Json json = to_json_value(step);
    json["events"] = Json::array();
    for (const StepEvent& event : events_of(step)) {
      Json entry;
      entry["kind"] = step_event_name(event.kind);
      entry["request"] = event.request.value;
      entry["tokens"] = event.tokens;
      json["events"].push_back(std::move(entry));
    }
    array.push_back(std::move(json));
  }
  return dump_json(array);
}

std::string requests_json(const std::vector<RequestRecord>& requests) {
  return dump_json(array_of(requests));
}

}  // namespace pitwall
