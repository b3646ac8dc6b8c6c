// SPDX-License-Identifier: GPL-3.0-or-later
// Records ↔ JSON, by their field lists. Undefined numbers are null. For .cpp files that include
// nlohmann/json.hpp.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "engine/telemetry/fields.h"

namespace pitwall {

/// A value of the wrong type or out of range while reading; `key` names it.
struct JsonFieldError : std::runtime_error {
  JsonFieldError(std::string key_at_fault, const std::string& why)
      : runtime_error(why), key(std::move(key_at_fault)) {}
  std::string key;
};

using Json = nlohmann::ordered_json;

Json to_json_value(const Percentiles& record);
Json to_json_value(const Summary& record);
Json to_json_value(const StepRecord& record);
Json to_json_value(const RequestRecord& record);  ///< with queue_ms, ttft_ms, tpot_ms, e2e_ms and max_itl_ms
Json to_json_value(const SecondRecord& record);
Json to_json_value(const EngineTotals& record);
Json to_json_value(const LedgerSnapshot& record);  ///< with accounted and unaccounted
Json to_json_value(const ConfigEntry& record);
Json to_json_value(const SettingChange& record);
Json to_json_value(const Checklist& record);   ///< whole, items and their changes included
Json to_json_value(const RunHeader& record);   ///< without config
Json to_json_value(const RunSummary& record);  ///< without totals, ledger and metrics

/// Missing keys leave the field as it is. Throws JsonFieldError.
void read_json(const Json& object, Percentiles& record);
void read_json(const Json& object, Summary& record);
void read_json(const Json& object, RequestRecord& record);
void read_json(const Json& object, SecondRecord& record);
void read_json(const Json& object, EngineTotals& record);
void read_json(const Json& object, LedgerSnapshot& record);
void read_json(const Json& object, ConfigEntry& record);
void read_json(const Json& object, SettingChange& record);
void read_json(const Json& object, Checklist& record);
void read_json(const Json& object, RunHeader& record);
void read_json(const Json& object, RunSummary& record);

/// Text that is not UTF-8 gets replacement characters instead of an exception. indent −1 = one line.
std::string dump_json(const Json& json, int indent = -1);

}  // namespace pitwall
