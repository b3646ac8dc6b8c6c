// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/report/report.h"
#include "engine/report/run_document.h"
#include "engine/telemetry/record_json.h"
#include "engine/telemetry/step_table.h"

namespace pitwall {
namespace {

constexpr const char* kFormat = "pitwall-run";
constexpr std::int64_t kFormatVersion = 1;

template <class Record>
Json array_of(const std::vector<Record>& records) {
  Json array = Json::array();
  for (const Record& record : records) array.push_back(to_json_value(record));
  return array;
}

template <class Record>
void read_array(const Json& object, const char* key, std::vector<Record>& records) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_array()) throw JsonFieldError(key, "a list is expected");
  for (const Json& element : *found) {
    const auto where = [key, i = records.size()] { return std::string(key) + "[" + std::to_string(i) + "]"; };
    if (!element.is_object()) throw JsonFieldError(where(), "an object is expected");
    try {
      read_json(element, records.emplace_back());
    } catch (const JsonFieldError& error) {
      throw JsonFieldError(where() + "." + error.key, error.what());
    }
  }
}

/// The object under `key`; an empty one when it is absent.
const Json& object_at(const Json& object, const char* key) {
  static const Json kEmpty = Json::object();
  const auto found = object.find(key);
  if (found == object.end()) return kEmpty;
  if (!found->is_object()) throw JsonFieldError(key, "an object is expected");
  return *found;
}

Json header_json(const RunHeader& header) {
  Json json = to_json_value(header);
  json["config"] = array_of(header.config);
  return json;
}

Json summary_json(const RunSummary& summary) {
  Json json = to_json_value(summary);
  json["totals"] = to_json_value(summary.totals);
  json["ledger"] = to_json_value(summary.ledger);
  Json& metrics = json["metrics"] = Json::object();
  for (const auto& [name, values] : summary.metrics) metrics[name] = to_json_value(values);
  return json;
}

void read_summary(const Json& json, RunSummary& summary) {
  read_json(json, summary);
  read_json(object_at(json, "totals"), summary.totals);
  read_json(object_at(json, "ledger"), summary.ledger);
  const Json& metrics = object_at(json, "metrics");
  for (const auto& [name, values] : metrics.items()) {
    Summary& metric = summary.metrics[name] = summarize({});
    read_json(object_at(metrics, name.c_str()), metric);
  }
}

Json itl_json(const QuantileSketch& itl) {
  if (itl.count() == 0) return nullptr;
  Json buckets = Json::array();
  for (const QuantileSketch::Bucket& bucket : itl.buckets()) buckets.push_back({bucket.value, bucket.count});
  return {{"sum_ms", itl.sum()}, {"max_ms", itl.max()}, {"ms_and_count", std::move(buckets)}};
}

/// Of "itl"; runs of before have none.
QuantileSketch read_itl(const Json& json) {
  const auto found = json.find("itl");
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_object()) throw JsonFieldError("itl", "an object is expected");
  std::vector<QuantileSketch::Bucket> buckets;
  try {
    for (const Json& bucket : found->at("ms_and_count"))
      buckets.push_back({bucket.at(0).get<double>(), bucket.at(1).get<std::int64_t>()});
    return QuantileSketch::of(buckets, found->at("sum_ms").get<double>(), found->at("max_ms").get<double>());
  } catch (const Json::exception&) {
    throw JsonFieldError("itl",
                         "\"sum_ms\", \"max_ms\" and pairs of two numbers, \"ms_and_count\", are expected");
  }
}

Run read_run(const Json& json) {
  Run run;
  if (const auto id = json.find("id"); id != json.end()) {
    if (!id->is_number_integer()) throw JsonFieldError("id", "a whole number is expected");
    run.id.value = id->get<std::int64_t>();
  }
  if (const auto note = json.find("note"); note != json.end()) {
    if (!note->is_string()) throw JsonFieldError("note", "a string is expected");
    run.note = note->get<std::string>();
  }
  if (const auto imported = json.find("imported_utc"); imported != json.end()) {
    if (!imported->is_number_integer()) throw JsonFieldError("imported_utc", "a whole number is expected");
    run.imported_utc = imported->get<Nanos>();
  }
  const Json& header = object_at(json, "header");
  read_json(header, run.header);
  read_array(header, "config", run.header.config);
  read_summary(object_at(json, "summary"), run.summary);
  read_array(json, "requests", run.requests);
  read_array(json, "seconds", run.seconds);
  read_array(json, "changes", run.changes);
  run.itl = read_itl(json);
  if (const auto steps = json.find("steps"); steps != json.end()) {
    if (!steps->is_string()) throw JsonFieldError("steps", "a string is expected");
    auto read = parse_steps(steps->get<std::string>());
    if (!read) throw JsonFieldError("steps", read.error().what);
    run.steps = std::move(*read);
  }
  return run;
}

Error no_run(const std::string& why, const std::string& param) {
  return Error{Error::Kind::invalid_input, "This is no run that Pitwall can read: " + why, "",
               "Give a file that `pitwallctl runs export ID --format json` has written", param};
}

}  // namespace

Json run_document(const Run& run) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kFormatVersion;
  json["id"] = run.id.value;
  json["note"] = run.note;
  if (run.imported_utc > 0) json["imported_utc"] = run.imported_utc;
  json["header"] = header_json(run.header);
  json["summary"] = summary_json(run.summary);
  json["requests"] = array_of(run.requests);
  json["seconds"] = array_of(run.seconds);
  json["changes"] = array_of(run.changes);
  json["itl"] = itl_json(run.itl);
  json["steps"] = steps_text(run.steps);
  return json;
}

std::string run_json(const Run& run) {
  return dump_json(run_document(run), 1) + "\n";
}

Result<Run> run_of_document(const Json& document) {
  try {
    if (!document.is_object() || document.value("format", "") != kFormat)
      return no_run("its \"format\" is not \"pitwall-run\"", "format");
    const auto version = document.value("version", std::int64_t{0});
    if (version < 1 || version > kFormatVersion) {
      return Error{Error::Kind::unsupported,
                   "The run has format version " + std::to_string(version) + "; this program knows version " +
                       std::to_string(kFormatVersion),
                   version > kFormatVersion ? "A newer Pitwall has written it" : "", "Update Pitwall",
                   "version"};
    }
    return read_run(document);
  } catch (const JsonFieldError& error) {
    return no_run("\"" + error.key + "\": " + error.what(), error.key);
  } catch (const Json::exception& error) {
    return no_run(error.what(), "");
  }
}

Result<Run> parse_run_json(const std::string& text) {
  try {
    return run_of_document(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return no_run("it is not JSON near byte " + std::to_string(error.byte), "");
  }
}

}  // namespace pitwall
