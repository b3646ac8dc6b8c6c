// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/telemetry/record_json.h"
#include "engine/telemetry/snapshot.h"

namespace pitwall {
namespace {

/// Writes a list behind `text`, one record at a time: the values of all of them at once take megabytes.
template <class Record, class ToJson>
void add_list(std::string& text, const std::vector<Record>& records, const ToJson& to_json) {
  text += '[';
  for (const Record& record : records) {
    if (text.back() != '[') text += ',';
    text += dump_json(to_json(record));
  }
  text += ']';
}

/// A member more for the text of an object that has some.
template <class Record>
void add_member(std::string& object, const char* name, const std::vector<Record>& records) {
  object.back() = ',';
  object.append("\"").append(name).append("\":");
  add_list(object, records, [](const Record& record) { return to_json_value(record); });
  object += '}';
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
  json["first_lap"] = snapshot.first_lap;
  std::string text = dump_json(json);
  add_member(text, "history", snapshot.history);
  add_member(text, "steps", snapshot.steps);
  add_member(text, "changes", snapshot.changes);
  add_member(text, "requests", snapshot.requests);
  return text;
}

std::string steps_json(const std::vector<StepRecord>& steps,
                       const std::function<std::vector<StepEvent>(const StepRecord&)>& events_of) {
  std::string text;
  add_list(text, steps, [&](const StepRecord& step) {
    Json json = to_json_value(step);
    json["events"] = Json::array();
    for (const StepEvent& event : events_of(step)) {
      Json entry;
      entry["kind"] = step_event_name(event.kind);
      entry["request"] = event.request.value;
      entry["tokens"] = event.tokens;
      json["events"].push_back(std::move(entry));
    }
    return json;
  });
  return text;
}

std::string requests_json(const std::vector<RequestRecord>& requests) {
  std::string text;
  add_list(text, requests, [](const RequestRecord& request) { return to_json_value(request); });
  return text;
}

}  // namespace pitwall
