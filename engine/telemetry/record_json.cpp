// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/record_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace pitwall {
namespace {

template <class Record>
Json written(const Record& record) {
  Json object = Json::object();
  for_each_field(record, [&object](const char* name, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, Percentiles>) {
      object[name] = to_json_value(value);
    } else if constexpr (std::is_enum_v<Value>) {
      object[name] = word_of(value);
    } else {
      object[name] = value;
    }
  });
  return object;
}

template <class Integer>
void read_integer(const char* name, const Json& json, Integer& value) {
  if (!json.is_number_integer()) throw JsonFieldError(name, "a whole number is expected");
  const bool fits = json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                              : std::in_range<Integer>(json.get<std::int64_t>());
  if (!fits) throw JsonFieldError(name, json.dump() + " is out of range");
  value = json.get<Integer>();
}

void read_value(const char* name, const Json& json, Percentiles& value) {
  if (!json.is_object()) throw JsonFieldError(name, "an object is expected");
  read_json(json, value);
}

void read_value(const char* name, const Json& json, double& value) {
  if (!json.is_number() && !json.is_null()) throw JsonFieldError(name, "a number or null is expected");
  value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

void read_value(const char* name, const Json& json, bool& value) {
  if (!json.is_boolean()) throw JsonFieldError(name, "true or false is expected");
  value = json.get<bool>();
}

void read_value(const char* name, const Json& json, std::string& value) {
  if (!json.is_string()) throw JsonFieldError(name, "a string is expected");
  value = json.get<std::string>();
}

template <std::integral Integer>
void read_value(const char* name, const Json& json, Integer& value) {
  read_integer(name, json, value);
}

template <class Enum>
requires std::is_enum_v<Enum>
void read_value(const char* name, const Json& json, Enum& value) {
  std::string word;
  read_value(name, json, word);
  if (!set_word(value, word)) throw JsonFieldError(name, json.dump() + " is not a known word");
}

/// Of objects; empty where the key is missing.
Json list_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return Json::array();
  const bool sound = found->is_array() && std::all_of(found->begin(), found->end(),
                                                      [](const Json& one) { return one.is_object(); });
  if (!sound) throw JsonFieldError(name, "a list of objects is expected");
  return *found;
}

template <class Record>
void read(const Json& object, Record& record) {
  for_each_field(record, [&object](const char* name, auto& value) {
    if (const auto found = object.find(name); found != object.end()) read_value(name, *found, value);
  });
}

}  // namespace

Json to_json_value(const Percentiles& record) {
  return written(record);
}
Json to_json_value(const Summary& record) {
  return written(record);
}
Json to_json_value(const StepRecord& record) {
  return written(record);
}
Json to_json_value(const SecondRecord& record) {
  return written(record);
}
Json to_json_value(const EngineTotals& record) {
  return written(record);
}
Json to_json_value(const ConfigEntry& record) {
  return written(record);
}
Json to_json_value(const SettingChange& record) {
  return written(record);
}
Json to_json_value(const Checklist& record) {
  Json object = written(record);
  Json items = Json::array();
  for (const Item& item : record.items) {
    Json& one = items.emplace_back(written(item));
    one["changes"] = Json::array();
    for (const ItemChange& change : item.changes) one["changes"].push_back(written(change));
  }
  object["items"] = std::move(items);
  return object;
}
Json to_json_value(const RunHeader& record) {
  return written(record);
}
Json to_json_value(const RunSummary& record) {
  return written(record);
}

Json to_json_value(const RequestRecord& record) {
  Json object = written(record);
  object["queue_ms"] = record.queue_ms();
  object["ttft_ms"] = record.ttft_ms();
  object["prefill_ms"] = record.prefill_ms();
  object["decode_ms"] = record.decode_ms();
  object["preempted_ms"] = record.preempted_ms();
  object["tpot_ms"] = record.tpot_ms();
  object["e2e_ms"] = record.e2e_ms();
  object["max_itl_ms"] = record.max_itl_ms();
  return object;
}

Json to_json_value(const LedgerSnapshot& record) {
  Json object = written(record);
  object["accounted"] = record.accounted();
  object["unaccounted"] = record.unaccounted();
  return object;
}

void read_json(const Json& object, Percentiles& record) {
  read(object, record);
}
void read_json(const Json& object, Summary& record) {
  read(object, record);
}
void read_json(const Json& object, RequestRecord& record) {
  read(object, record);
}
void read_json(const Json& object, SecondRecord& record) {
  read(object, record);
}
void read_json(const Json& object, EngineTotals& record) {
  read(object, record);
}
void read_json(const Json& object, LedgerSnapshot& record) {
  read(object, record);
}
void read_json(const Json& object, ConfigEntry& record) {
  read(object, record);
}
void read_json(const Json& object, SettingChange& record) {
  read(object, record);
}
void read_json(const Json& object, Checklist& record) {
  read(object, record);
  record.items.clear();
  for (const Json& one : list_in(object, "items")) {
    Item& item = record.items.emplace_back();
    read(one, item);
    for (const Json& change : list_in(one, "changes")) read(change, item.changes.emplace_back());
  }
}
void read_json(const Json& object, RunHeader& record) {
  read(object, record);
}
void read_json(const Json& object, RunSummary& record) {
  read(object, record);
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pitwall
