// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/reply_timings.h"

#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "engine/telemetry/record_json.h"

namespace pitwall::ui {

namespace {

constexpr const char* kItlP99 = "itl_p99_ms";
constexpr const char* kLeftOutMessages = "left_out_messages";
constexpr const char* kLeftOutCharacters = "left_out_characters";

}  // namespace

std::string timings_to_json(const ReplyTimings& timings) {
  Json json = to_json_value(timings.record);
  if (!std::isnan(timings.itl_p99_ms)) json[kItlP99] = timings.itl_p99_ms;
  if (timings.left_out_messages > 0) json[kLeftOutMessages] = timings.left_out_messages;
  if (timings.left_out_characters > 0) json[kLeftOutCharacters] = timings.left_out_characters;
  return dump_json(json);
}

std::optional<ReplyTimings> timings_from_json(const std::string& json) {
  if (json.empty()) return std::nullopt;
  try {
    ReplyTimings timings;
    const Json object = Json::parse(json);
    read_json(object, timings.record);
    timings.itl_p99_ms = object.value(kItlP99, timings.itl_p99_ms);
    timings.left_out_messages = object.value(kLeftOutMessages, timings.left_out_messages);
    timings.left_out_characters = object.value(kLeftOutCharacters, timings.left_out_characters);
    return timings;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace pitwall::ui
